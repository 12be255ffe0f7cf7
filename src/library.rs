//! The sources of the std packages, as they were when gmpl was built.

include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// The files of a package: (name as tracebacks show it, text). Empty if there is no such package.
pub fn package(path: &str) -> Vec<(String, String)> {
    let first = FILES.partition_point(|(p, ..)| *p < path);
    let files = FILES.iter().skip(first).take_while(|(p, ..)| *p == path);
    files.map(|(p, name, text)| (format!("{p}/{name}"), (*text).to_string())).collect()
}

/// The paths of all packages, sorted.
pub fn packages() -> Vec<&'static str> {
    let mut list: Vec<&str> = FILES.iter().map(|(p, ..)| *p).collect();
    list.dedup();
    list
}

/// The package that a script means by a name it has not imported: the shortest path that ends in it.
pub fn by_name(name: &str) -> Option<&'static str> {
    packages().into_iter().filter(|p| p.rsplit('/').next() == Some(name)).min_by_key(|p| (p.len(), *p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_sorted_and_found() {
        assert!(FILES.is_sorted_by_key(|(p, n, _)| (*p, *n)));
        assert_eq!(package("fmt").len(), 1);
        assert!(package("nothing").is_empty());
        assert_eq!(by_name("atomic"), Some("sync/atomic"));
        assert_eq!(by_name("rand"), Some("math/rand"));
    }
}
