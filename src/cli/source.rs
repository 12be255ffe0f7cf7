//! Reading source files, with one clear line for each that cannot be read.

use std::path::{Path, PathBuf};

/// The text of a source file, or what is wrong with it.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return Err(format!("gmpl: {shown}: no such file"));
        }
        Err(e) => return Err(format!("gmpl: {shown}: {e}")),
    };
    text_of(&shown.to_string(), bytes)
}

/// The program on standard input.
pub(crate) fn read_stdin() -> Result<String, String> {
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes)
        .map_err(|e| format!("gmpl: <stdin>: {e}"))?;
    text_of("<stdin>", bytes)
}

/// The source files in a folder, sorted; `_test` files are left out.
pub(crate) fn folder(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = sources(dir)?;
    files.retain(|f| !is_test(f));
    some(files, dir)
}

/// The source files in a folder, those of tests among them, sorted.
pub(crate) fn folder_with_tests(dir: &Path) -> Result<Vec<PathBuf>, String> {
    some(sources(dir)?, dir)
}

/// The folder and all below it that have source files, sorted; hidden ones and `testdata` are left out.
pub(crate) fn folders(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = vec![];
    let mut work = vec![root.to_path_buf()];
    while let Some(dir) = work.pop() {
        if !sources(&dir)?.is_empty() {
            found.push(dir.clone());
        }
        let entries =
            std::fs::read_dir(&dir).map_err(|e| format!("gmpl: {}: {e}", dir.display()))?;
        work.extend(entries.flatten().map(|e| e.path()).filter(|p| {
            let name = p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            p.is_dir() && !name.starts_with(['.', '_']) && name != "testdata"
        }));
    }
    found.sort();
    Ok(found)
}

fn sources(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(dir).map_err(|e| format!("gmpl: {}: {e}", dir.display()))?;
    let mut files: Vec<PathBuf> =
        entries.flatten().map(|e| e.path()).filter(|p| is_source(p)).collect();
    files.sort();
    Ok(files)
}

fn some(files: Vec<PathBuf>, dir: &Path) -> Result<Vec<PathBuf>, String> {
    if files.is_empty() {
        return Err(format!("gmpl: {} is a directory without .gmp or .go files", dir.display()));
    }
    Ok(files)
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Whether a file holds tests: its name ends in `_test`.
pub(crate) fn is_test(path: &Path) -> bool {
    stem(path).ends_with("_test")
}

fn is_source(path: &Path) -> bool {
    path.is_file()
        && path.extension().is_some_and(|e| e == "gmp" || e == "go")
        && !stem(path).starts_with(['.', '_'])
}

fn text_of(shown: &str, bytes: Vec<u8>) -> Result<String, String> {
    let binary = bytes.iter().take(8000).any(|&b| b == 0);
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(_) if binary => Err(format!("gmpl: {shown} is a binary file")),
        Err(e) => {
            let good = e.utf8_error().valid_up_to();
            let text = &e.as_bytes()[..good];
            let line = text.iter().filter(|&&b| b == b'\n').count() + 1;
            let col = good - text.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1) + 1;
            Err(format!("{shown}:{line}:{col}: invalid UTF-8 encoding"))
        }
    }
}
