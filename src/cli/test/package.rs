//! A package under test: its files, and the program that is made of them.

use std::path::{Path, PathBuf};

use gmpl::bytecode::module::Module;
use gmpl::diag;
use gmpl::source::SourceMap;
use gmpl::syntax;
use gmpl::types::{Checker, LibraryFile, Loader};
use gmpl::vm::machine::Locate;

use super::find::{Found, find};
use super::flags::Request;
use super::main_file;
use crate::cli::project::Project;
use crate::cli::{locate, program, source};

/// Names and texts of files.
type Files = Vec<(String, String)>;

/// Why a package cannot be tested.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It is not even a package with tests.
    Setup(String),
    /// It has errors.
    Build(String),
}

/// A package under test.
#[derive(Debug)]
pub(super) struct Package {
    dir: PathBuf,
    /// Its files, tests among them.
    files: Vec<PathBuf>,
    /// Files were named, not a folder.
    named_files: bool,
}

impl Package {
    /// The package in a folder.
    pub(super) fn folder(dir: &Path) -> Result<Package, String> {
        // as Go shows names: `./x` for what is in this folder, `dir/x` for others
        let dir = match dir.strip_prefix("./") {
            Ok(rest) if !rest.as_os_str().is_empty() => rest,
            Ok(_) | Err(_) => dir,
        };
        let files = source::folder_with_tests(dir)?;
        Ok(Package { dir: dir.to_path_buf(), files, named_files: false })
    }

    /// A package of these files.
    pub(super) fn files(files: &[PathBuf]) -> Package {
        let dir = files[0].parent().map_or_else(PathBuf::new, Path::to_path_buf);
        Package { dir, files: files.to_vec(), named_files: true }
    }

    /// The path that reports show.
    pub(super) fn name(&self) -> String {
        if self.named_files {
            return "command-line-arguments".into();
        }
        Project::of(&self.dir).path_of_main()
    }

    /// Goes to its folder, where tests run.
    pub(super) fn enter(&self) -> bool {
        if self.dir.as_os_str().is_empty() || self.named_files {
            return true;
        }
        match std::env::set_current_dir(&self.dir) {
            Ok(()) => true,
            Err(e) => {
                eprintln!("gmpl: {}: {e}", self.dir.display());
                false
            }
        }
    }

    /// The test program; `None` if there are no test files. Says also whether there is anything to run.
    pub(super) fn build(
        &self,
        request: &Request,
    ) -> Result<Option<(Module, Locate, bool)>, Trouble> {
        let (tests, plain): (Vec<PathBuf>, Vec<PathBuf>) =
            self.files.iter().cloned().partition(|f| source::is_test(f));
        if tests.is_empty() {
            return Ok(None);
        }
        let read = |files: &[PathBuf]| program::read(files).map_err(|e| Trouble::Setup(e + "\n"));
        let (mut own, mut external) = (read(&plain)?, vec![]);
        let (mut found, mut found_external) = (Found::default(), Found::default());
        let mut wrong = String::new();
        for (name, text) in read(&tests)? {
            let mut map = SourceMap::new();
            let id = map.add(name.as_str(), text.clone());
            let ast = syntax::parse(&map, id).ast;
            let one = find(&ast);
            for (offset, what) in &one.wrong {
                let (line, col) = map.file(id).line_col(*offset);
                wrong.push_str(&format!("{name}:{line}:{col}: {what}\n"));
            }
            let is_external = package_name(&ast).is_some_and(|n| n.ends_with("_test"));
            let (files, all) = if is_external {
                (&mut external, &mut found_external)
            } else {
                (&mut own, &mut found)
            };
            files.push((name, text));
            all.add(one);
        }
        if !wrong.is_empty() {
            return Err(Trouble::Setup(wrong));
        }
        let name = self.name();
        let external_name = format!("{name}_test");
        let others = (!external.is_empty()).then_some((external_name.as_str(), &found_external));
        // a folder may hold nothing but external tests
        let package = (!own.is_empty()).then_some(name.as_str());
        let main = main_file::text(package, &found, others);
        let has_tests = found.has_any() || found_external.has_any();
        let tested = Tested { project: Project::of(&self.dir), name, own, external };
        let (module, place) = compile(tested, main, request)?;
        Ok(Some((module, place, has_tests)))
    }
}

fn compile(tested: Tested, main: String, request: &Request) -> Result<(Module, Locate), Trouble> {
    let report = request.settings.report;
    let mut checker = Checker::new(Box::new(tested));
    checker.check_program(vec![("_testmain.go".into(), main)]);
    checker.require_bodies();
    if !checker.diagnostics().is_empty() {
        let text = diag::render_all(checker.source_map(), checker.diagnostics(), report.format());
        return Err(Trouble::Build(text));
    }
    let module =
        program::compile(&mut checker, !request.settings.no_opt, report).map_err(Trouble::Build)?;
    Ok((module, locate(checker.source_map())))
}

impl Found {
    fn add(&mut self, other: Found) {
        self.tests.extend(other.tests);
        self.benchmarks.extend(other.benchmarks);
        self.fuzz.extend(other.fuzz);
        self.examples.extend(other.examples);
        self.has_main |= other.has_main;
    }

    fn has_any(&self) -> bool {
        !(self.tests.is_empty() && self.fuzz.is_empty() && self.examples.is_empty())
    }
}

fn package_name(ast: &syntax::Ast) -> Option<String> {
    let syntax::ast::Node::Package(name) = ast.node(*ast.items.first()?) else { return None };
    Some(ast.text(name).to_string())
}

/// The project as a test program sees it: the package under test has its test files too, and there is one of external tests.
#[derive(Debug)]
struct Tested {
    project: Project,
    name: String,
    own: Files,
    external: Files,
}

impl Tested {
    fn external_name(&self) -> String {
        format!("{}_test", self.name)
    }
}

impl Loader for Tested {
    fn load(&self, path: &str) -> Option<Vec<LibraryFile>> {
        self.project.load(path)
    }

    fn implicit(&self, name: &str) -> Option<String> {
        self.project.implicit(name)
    }

    fn locate(&self, path: &str, from: &str) -> Result<Option<String>, String> {
        let of_main = from == "main" && path == self.external_name();
        if path == self.name || of_main {
            return Ok(Some(path.to_string()));
        }
        let from = if from == self.external_name() { self.name.as_str() } else { from };
        self.project.locate(path, from)
    }

    fn load_user(&self, path: &str) -> Result<Files, String> {
        if path == self.name && !self.own.is_empty() {
            return Ok(self.own.clone());
        }
        if path == self.external_name() {
            return Ok(self.external.clone());
        }
        self.project.load_user(path)
    }

    fn not_found(&self, path: &str) -> String {
        self.project.not_found(path)
    }

    fn is_tested(&self, path: &str) -> bool {
        path == self.name
    }
}
