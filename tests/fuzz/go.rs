//! Real Go as a judge: its compiler's verdict on one file, and many programs in one binary.
//!
//! Asked only where `GMPL_FUZZ_GO` names a `go` command.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler and what it needs to import the standard library.
#[derive(Debug)]
pub(crate) struct Judge {
    go: String,
    compiler: String,
    importcfg: PathBuf,
    dir: PathBuf,
}

fn output(command: &mut Command) -> String {
    let out = command.output().expect("the command starts");
    assert!(out.status.success(), "{command:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).trim().to_string()
}

impl Judge {
    /// The judge, if there is one; its files are in `dir`.
    pub(crate) fn new(dir: &Path) -> Option<Judge> {
        let go = std::env::var("GMPL_FUZZ_GO").ok()?;
        let compiler = output(Command::new(&go).args(["tool", "-n", "compile"]));
        let form = "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}";
        let list = output(Command::new(&go).args(["list", "-export", "-f", form, "std"]));
        let importcfg = dir.join("importcfg");
        std::fs::write(&importcfg, list).expect("writable");
        Some(Judge { go, compiler, importcfg, dir: dir.to_path_buf() })
    }

    /// What the compiler says about a file: all its lines, nothing if it takes it.
    pub(crate) fn verdict(&self, file: &Path) -> Vec<String> {
        let mut command = Command::new(&self.compiler);
        // the compiler removes its output after an error: it must be a file of ours, never a device
        command.args(["-p", "main", "-complete", "-c=1", "-N", "-l", "-o"]);
        command.arg(self.dir.join("verdict.o")).arg("-importcfg").arg(&self.importcfg).arg(file);
        let out = command.output().expect("the compiler starts");
        let text = [out.stdout, out.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        text.lines().map(str::to_string).collect()
    }

    /// Builds many programs, each a text of package main with a `func main()`, into one binary that runs the one whose index is its
    /// argument. They become packages called `p`, so that their types are `p.T` where they print them.
    pub(crate) fn batch(&self, programs: &[String]) -> PathBuf {
        let mut imports = String::new();
        let mut cases = String::new();
        for (i, text) in programs.iter().enumerate() {
            let dir = self.dir.join(format!("batch/p{i}"));
            std::fs::create_dir_all(&dir).expect("a folder");
            let text = text.replacen("package main\n", "package p\n", 1).replacen(
                "\nfunc main() {",
                "\nfunc Main() {",
                1,
            );
            std::fs::write(dir.join("p.go"), text).expect("writable");
            imports.push_str(&format!("\tp{i} \"batch/p{i}\"\n"));
            cases.push_str(&format!("\tcase \"{i}\":\n\t\tp{i}.Main()\n"));
        }
        let main = format!(
            "package main\n\nimport (\n\t\"os\"\n{imports})\n\nfunc main() {{\n\tswitch os.Args[1] {{\n{cases}\t}}\n}}\n"
        );
        let dir = self.dir.join("batch");
        std::fs::write(dir.join("go.mod"), "module batch\n\ngo 1.27\n").expect("writable");
        std::fs::write(dir.join("main.go"), main).expect("writable");
        output(Command::new(&self.go).args(["build", "-o", "all", "."]).current_dir(&dir));
        dir.join("all")
    }
}
