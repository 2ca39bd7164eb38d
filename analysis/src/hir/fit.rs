//! The variant of the tables that the instructions of a form fit: matched once for each form.

use isa::{
    binding::Binding,
    matcher::{self, Fit},
    table::tables,
};
use salsa::Database;

use super::form::Form;

/// The variant that the instructions of a form fit; `None` if there is none, or if the file does not say its version and
/// target.
#[salsa::tracked(returns(as_ref), no_eq)]
pub(crate) fn fit<'db>(db: &'db dyn Database, form: Form<'db>) -> Option<Fit<'static>> {
    let found = form
        .data(db)
        .with_statement(|it| matcher::fit(tables(), it));
    found.flatten()
}

/// The operands of the instructions of a form, by the names of the tables; none if no variant fits.
#[salsa::tracked(returns(ref))]
pub(crate) fn bindings<'db>(db: &'db dyn Database, form: Form<'db>) -> Box<[Binding]> {
    let bind = |it: &Fit<'_>| form.data(db).with_statement(|statement| it.bind(statement));
    let found = fit(db, form).and_then(bind);
    found.unwrap_or_default().into()
}
