//! Aligned tables that are printed row by row, so that a proof that takes minutes shows its progress.

/// One column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    name: &'static str,
    width: usize,
    right: bool,
}

/// A left-aligned column of names.
pub(crate) const fn text(name: &'static str, width: usize) -> Column {
    Column { name, width, right: false }
}

/// A right-aligned column of figures.
pub(crate) const fn number(name: &'static str) -> Column {
    Column { name, width: 9, right: true }
}

/// A table whose header is printed.
pub(crate) struct Table {
    columns: Vec<Column>,
}

impl Table {
    /// Prints the header.
    pub(crate) fn start(columns: &[Column]) -> Table {
        let table = Table { columns: columns.to_vec() };
        println!("{}", table.header());
        table
    }

    /// Prints one row. Missing cells at the end are empty.
    pub(crate) fn row(&self, cells: &[&str]) {
        println!("{}", self.line(cells));
    }

    fn header(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        self.line(&names)
    }

    fn line(&self, cells: &[&str]) -> String {
        let mut line = String::new();
        for (column, cell) in self.columns.iter().zip(cells) {
            if !line.is_empty() {
                line += "  ";
            }
            let width = column.width.max(column.name.chars().count());
            line += &if column.right { format!("{cell:>width$}") } else { format!("{cell:<width$}") };
        }
        line.trim_end().to_owned()
    }
}

/// Formats milliseconds with three significant digits, and with all digits before the decimal point.
pub(crate) fn ms(time: f64) -> String {
    match time {
        _ if time < 1.0 => format!("{time:.3}"),
        _ if time < 10.0 => format!("{time:.2}"),
        _ if time < 100.0 => format!("{time:.1}"),
        _ => format!("{time:.0}"),
    }
}

/// Formats MiB without decimals.
pub(crate) fn mib(memory: f64) -> String {
    format!("{memory:.0}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let table = Table { columns: vec![text("file", 8), number("read p50"), text("note", 4)] };
        assert_eq!(table.header(), "file       read p50  note");
        assert_eq!(table.line(&["a.json", "0.123", "slow"]), "a.json        0.123  slow");
        assert_eq!(table.line(&["b.md"]), "b.md");
    }

    #[test]
    fn times_have_three_significant_digits() {
        assert_eq!([0.1234, 1.234, 12.34, 123.4, 1234.5].map(ms), ["0.123", "1.23", "12.3", "123", "1234"]);
    }
}
