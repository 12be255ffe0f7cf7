//! Generates the parser from `grammar/gmp.lalrpop`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=grammar/gmp.lalrpop");
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    lalrpop::Configuration::new()
        .set_in_dir("grammar")
        .set_out_dir(out)
        .emit_rerun_directives(true)
        .emit_comments(false)
        .emit_whitespace(false)
        .process()
        .unwrap_or_else(|e| panic!("the grammar does not build: {e}"));
}
