//! Where the packages of a program are: folders beside it, or below the folder of its `gmp.mod` (or `go.mod`).

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use gmpl::library::Library;
use gmpl::types::{LibraryFile, Loader};

use super::{program, source};

/// Finds packages. `main` is the full path of the program's own package to the checker.
#[derive(Debug)]
pub(crate) struct Project {
    library: Library,
    /// The program's folder.
    main_dir: PathBuf,
    /// Module path and folder, where there is a `gmp.mod`.
    module: Option<(String, PathBuf)>,
    /// Folders of the packages found so far, by full path.
    dirs: RefCell<HashMap<String, PathBuf>>,
}

impl Project {
    /// The project of a program: a file or a folder.
    pub(crate) fn of(program: &Path) -> Project {
        let dir = if program.is_dir() {
            program.to_path_buf()
        } else {
            program.parent().unwrap_or(Path::new("")).into()
        };
        let main_dir = clean(&std::env::current_dir().unwrap_or_default().join(dir));
        let module = main_dir.ancestors().find_map(module_of);
        Project { library: Library, main_dir, module, dirs: RefCell::default() }
    }

    /// The path of the program's own folder, for reports: that of its module, or its name where there is none.
    pub(crate) fn path_of_main(&self) -> String {
        let path = self.full_path(&self.main_dir);
        if !path.is_empty() {
            return path;
        }
        let name = self.main_dir.file_name();
        name.map_or_else(|| "main".into(), |n| n.to_string_lossy().into_owned())
    }

    fn dir_of(&self, package: &str) -> PathBuf {
        self.dirs.borrow().get(package).cloned().unwrap_or_else(|| self.main_dir.clone())
    }

    /// The full path of the package in a folder.
    fn full_path(&self, dir: &Path) -> String {
        if let Some((module, root)) = &self.module
            && let Ok(rest) = dir.strip_prefix(root)
        {
            let rest = slashes(rest);
            return if rest.is_empty() { module.clone() } else { format!("{module}/{rest}") };
        }
        dir.strip_prefix(&self.main_dir).map_or_else(|_| slashes(dir), slashes)
    }

    /// The folder that an import path means, if it is one of the user's packages.
    fn folder(&self, path: &str, from: &str) -> Option<PathBuf> {
        if path.starts_with("./") || path.starts_with("../") {
            return Some(clean(&self.dir_of(from).join(path)));
        }
        let (module, root) = self.module.as_ref()?;
        let rest = path.strip_prefix(module.as_str())?;
        match rest.strip_prefix('/') {
            Some(rest) => Some(root.join(rest)),
            None => rest.is_empty().then(|| root.clone()),
        }
    }
}

/// The module that a folder is the root of.
fn module_of(dir: &Path) -> Option<(String, PathBuf)> {
    let text =
        ["gmp.mod", "go.mod"].iter().find_map(|n| std::fs::read_to_string(dir.join(n)).ok())?;
    let line = text.lines().map(str::trim).find_map(|l| l.strip_prefix("module "))?;
    let path = line.split("//").next().unwrap_or_default().trim().trim_matches('"');
    (!path.is_empty()).then(|| (path.to_string(), dir.to_path_buf()))
}

/// Without `.` and `..`.
fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

fn slashes(path: &Path) -> String {
    path.components()
        .map(|c| c.as_os_str().to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join("/")
}

/// The path above an `internal` element, if there is one (Go: only code below that may import it).
fn above_internal(path: &str) -> Option<&str> {
    let at = path.split('/').scan(0, |at, part| {
        let start = *at;
        *at += part.len() + 1;
        Some((start, part))
    });
    let (start, _) = at.filter(|(_, part)| *part == "internal").last()?;
    Some(path[..start].trim_end_matches('/'))
}

impl Loader for Project {
    fn load(&self, path: &str) -> Option<Vec<LibraryFile>> {
        self.library.load(path)
    }

    fn implicit(&self, name: &str) -> Option<String> {
        self.library.implicit(name)
    }

    fn locate(&self, path: &str, from: &str) -> Result<Option<String>, String> {
        let Some(dir) = self.folder(path, from) else { return Ok(None) };
        if !dir.is_dir() {
            return Err(format!("package {path} is not in std; looked in {}", dir.display()));
        }
        let full = self.full_path(&dir);
        let importer = self.full_path(&self.dir_of(from));
        if let Some(above) = above_internal(&full)
            && !(above.is_empty()
                || importer == above
                || importer.starts_with(&format!("{above}/")))
        {
            return Err(format!("use of internal package {full} not allowed"));
        }
        self.dirs.borrow_mut().insert(full.clone(), dir);
        Ok(Some(full))
    }

    fn load_user(&self, path: &str) -> Result<Vec<(String, String)>, String> {
        let dir = self.dir_of(path);
        let files =
            source::folder(&dir).map_err(|_| format!("no source files in {}", dir.display()))?;
        let here = std::env::current_dir().unwrap_or_default();
        let short =
            |p: &Path| p.strip_prefix(&here).map_or_else(|_| p.to_path_buf(), Path::to_path_buf);
        let files: Vec<PathBuf> = files.iter().map(|p| short(p)).collect();
        program::read(&files)
    }

    fn not_found(&self, path: &str) -> String {
        let near = gmpl::diag::nearest(path, gmpl::library::packages());
        let hint = near.map_or(String::new(), |known| format!("\n\tdid you mean {known:?}?"));
        format!("package {path} is not in std{hint}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internal_packages() {
        assert_eq!(above_internal("m/a/internal/b"), Some("m/a"));
        assert_eq!(above_internal("internal/b"), Some(""));
        assert_eq!(above_internal("m/internals"), None);
    }
}
