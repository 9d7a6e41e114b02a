//! Rows for the query: arguments as a model sends them, and the whole answer over a small table.

use super::*;

const SALES: &str = "day,shop,amount\n1,north,0.10\n2,south,0.20\n3,north,10\n4,west,\n5,south,-2.5\n";

fn run(text: &str, arguments: &str) -> Result<String, Failure> {
    let input = serde_json::from_str(arguments).expect("arguments of a test fit the types");
    let output = answer(Table::read("sales.csv", text.as_bytes())?, input)?;
    Ok(serde_json::to_string(&output).expect("an output is JSON"))
}

fn gives(arguments: &str, expected: &str) {
    assert_eq!(run(SALES, arguments).expect("a query over the table"), expected);
}

fn fails(text: &str, arguments: &str, expected: &Failure) {
    let failure = run(text, arguments).expect_err("a query that cannot be answered");
    assert_eq!(format!("{failure:?}"), format!("{expected:?}"));
}

#[test]
fn numbers_are_compared_as_numbers_and_text_as_text() {
    gives(
        r#"{"file": "sales.csv", "where": [{"column": "amount", "op": "gt", "value": 9}]}"#,
        r#"{"columns":["day","shop","amount"],"rows":[["3","north","10"]],"found":1}"#,
    );
    gives(
        r#"{"file": "sales.csv", "where": [{"column": "shop", "op": "ge", "value": "south"}, {"column": "amount", "op": "eq", "value": "0.2"}], "select": ["day"]}"#,
        r#"{"columns":["day"],"rows":[["2"]],"found":1}"#,
    );
}

#[test]
fn a_cell_that_is_no_number_is_neither_below_nor_above_one() {
    gives(
        r#"{"file": "sales.csv", "where": [{"column": "amount", "op": "lt", "value": 0}], "select": ["day"]}"#,
        r#"{"columns":["day"],"rows":[["5"]],"found":1}"#,
    );
}

#[test]
fn sums_are_exact_and_empty_cells_count_as_nothing() {
    gives(
        r#"{"file": "sales.csv", "sum": "amount"}"#,
        r#"{"columns":["sum(amount)","count"],"rows":[["7.80","5"]],"found":1}"#,
    );
    gives(
        r#"{"file": "sales.csv", "sum": "amount", "group_by": "shop", "sort": {"column": "sum(amount)", "descending": true}}"#,
        r#"{"columns":["shop","sum(amount)","count"],"rows":[["north","10.10","2"],["west","0","1"],["south","-2.30","2"]],"found":3}"#,
    );
}

#[test]
fn a_limit_says_how_much_it_left_out() {
    gives(
        r#"{"file": "sales.csv", "sort": {"column": "amount"}, "select": ["amount"], "limit": 2}"#,
        r#"{"columns":["amount"],"rows":[["-2.5"],["0.10"]],"found":5}"#,
    );
}

#[test]
fn an_unknown_column_is_answered_with_the_known_ones() {
    let expected = Failure::not_found("`sales.csv` has no column `price`; columns are `day`, `shop`, `amount`");
    for arguments in [
        r#"{"file": "sales.csv", "select": ["price"]}"#,
        r#"{"file": "sales.csv", "sum": "price"}"#,
        r#"{"file": "sales.csv", "sort": {"column": "price"}}"#,
        r#"{"file": "sales.csv", "where": [{"column": "price", "op": "eq", "value": 1}]}"#,
    ] {
        fails(SALES, arguments, &expected);
    }
}

#[test]
fn what_is_wrong_in_a_file_is_named_by_its_line() {
    let all = r#"{"file": "sales.csv"}"#;
    fails("a,b\n1,2\n3\n", all, &Failure::failed("line 3 of `sales.csv` has 1 cells where the header has 2"));
    fails("a,a\n1,2\n", all, &Failure::failed("`sales.csv` has two columns named `a`"));
    fails("", all, &Failure::failed("`sales.csv` is empty; its first line has to name the columns"));
    fails("a\n1\nx\n", r#"{"file": "sales.csv", "sum": "a"}"#, &Failure::failed("`a` in line 3 is no number: `x`"));
}
