//! The `gmpl` command.

mod cli;
mod repl;

fn main() -> std::process::ExitCode {
    cli::main()
}
