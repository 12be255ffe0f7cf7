//! The sources of the library, embedded when gmpl was built.
//!
//! Not a package manager: there is nothing beyond what stands under `std`.

use crate::source::Text;
use crate::syntax::outline::Word::{Const, Type, Var};
use crate::syntax::outline::{DeclHead, FuncHead, Outline};
use crate::types::{LibraryFile, Loader};
use std::borrow::Cow;

/// A file of the library.
struct Embedded {
    package: &'static str,
    name: &'static str,
    text: &'static str,
    outline: Outline,
}

/// Sorted by package and name.
static FILES: &[Embedded] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// Gives the checker the embedded sources.
#[derive(Clone, Copy, Debug, Default)]
pub struct Library;

impl Loader for Library {
    fn load(&self, path: &str) -> Option<Vec<LibraryFile>> {
        let from = FILES.partition_point(|f| f.package < path);
        let files: Vec<LibraryFile> = FILES[from..]
            .iter()
            .take_while(|f| f.package == path)
            .map(|f| LibraryFile {
                name: format!("{path}/{}", f.name),
                text: Text::Borrowed(f.text),
                outline: f.outline.clone(),
            })
            .collect();
        (!files.is_empty()).then_some(files)
    }

    fn implicit(&self, name: &str) -> Option<String> {
        // of two packages with one name the shorter path is meant: math/rand has no rival, text/template has
        let same = |path: &&str| path.rsplit('/').next() == Some(name);
        let mut paths: Vec<&str> = FILES.iter().map(|f| f.package).filter(same).collect();
        paths.sort_by_key(|p| (p.len(), *p));
        paths.first().map(|p| (*p).to_string())
    }
}

/// The paths of all packages, sorted.
pub fn packages() -> Vec<&'static str> {
    let mut list: Vec<&str> = FILES.iter().map(|f| f.package).collect();
    list.dedup();
    list
}
