//! Reading source files, with one clear line for each that cannot be read.

use std::path::Path;

/// The text of a source file, or what is wrong with it.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    let shown = path.display();
    if path.is_dir() {
        return Err(format!("gmpl: {shown} is a directory"));
    }
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return Err(format!("gmpl: {shown}: no such file"));
        }
        Err(e) => return Err(format!("gmpl: {shown}: {e}")),
    };
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
