//! The block heap and its collector.
