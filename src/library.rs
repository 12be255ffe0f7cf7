//! The sources of the library, embedded when gmpl was built.
//!
//! Not a package manager: there is nothing beyond what stands under `std`.

use crate::source::Text;
use crate::types::Loader;

/// (package path, file name, text), sorted.
const FILES: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// Gives the checker the embedded sources.
#[derive(Clone, Copy, Debug, Default)]
pub struct Library;

impl Loader for Library {
    fn load(&self, path: &str) -> Option<Vec<(String, Text)>> {
        let files: Vec<(String, Text)> = FILES
            .iter()
            .filter(|(package, ..)| *package == path)
            .map(|(package, name, text)| (format!("{package}/{name}"), Text::Borrowed(text)))
            .collect();
        (!files.is_empty()).then_some(files)
    }

    fn implicit(&self, name: &str) -> Option<String> {
        // of two packages with one name the shorter path is meant: math/rand has no rival, text/template has
        let same = |path: &&str| path.rsplit('/').next() == Some(name);
        let mut paths: Vec<&str> =
            FILES.iter().map(|(package, ..)| *package).filter(same).collect();
        paths.sort_by_key(|p| (p.len(), *p));
        paths.first().map(|p| (*p).to_string())
    }
}

/// The paths of all packages, sorted.
pub fn packages() -> Vec<&'static str> {
    let mut list: Vec<&str> = FILES.iter().map(|(package, ..)| *package).collect();
    list.dedup();
    list
}
