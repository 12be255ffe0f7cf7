//! Diagnostics: what is wrong in a program, where, and how it is shown.
