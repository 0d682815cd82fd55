//! A crate.

use std::collections::HashMap;
use std::fmt;

/// How many.
const LIMIT: usize = 3;

/// A stack.
#[derive(Debug, Clone)]
// not part of the documentation
#[serde(rename_all = "camelCase")]
pub struct Stack<T> {
    items: Vec<T>,
    name: String,
}

pub enum Color {
    Red,
    Green { shade: u8 },
}

impl<T: Clone> Stack<T> {
    /// Puts on top.
    #[inline]
    pub fn push(&mut self, item: T) -> Result<(), String> {
        if self.items.len() > LIMIT {
            return Err("full".into());
        } else {
            self.items.push(item);
        }

        match self.items.len() {
            1 => Ok(()),
            _ => {
                Ok(())
            }
        }
    }
}

impl<T> fmt::Display for Stack<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}

/// Says what it is.
pub trait Shape {
    fn area(&self) -> f64;

    fn describe(&self) -> String {
        format!("{}", self.area())
    }
}

macro_rules! square {
    ($x:expr) => {
        $x * $x
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(
        expected = "full"
    )]
    fn pushes() {
        let mut stack = Stack { items: vec![], name: String::new() };
        stack.push(1).unwrap();
    }
}
