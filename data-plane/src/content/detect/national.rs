//! National numbers of persons and taxpayers, with the rules their issuers publish.
//!
//! A form with check digits and telling punctuation, or with letters in fixed places, stands for
//! itself. Plain digits need a word beside them, because one in eleven or ten passes most checks.

mod check;

use super::form::{self, Form};
use super::hint;
use super::hit::End;
use super::scan::Scan;

const CPF: &[&str] = &["cpf", "documento", "document", "nif", "tax", "taxid"];
const CNPJ: &[&str] = &["cnpj", "documento", "document", "tax", "taxid"];
const SSN: &[&str] = &["ssn", "social", "socialsecurity", "ssns"];
const STEUER: &[&str] = &[
    "idnr",
    "steuer",
    "steuerid",
    "steuernummer",
    "steueridentifikationsnummer",
    "identifikationsnummer",
    "tax",
    "taxid",
    "tin",
];
const PESEL: &[&str] = &["pesel"];
const NIR: &[&str] = &["insee", "nir", "secu", "sécu", "sociale", "vitale"];

const FORMS: &[Form] = &[
    Form { template: "999.999.999-99", hints: &[], check: check::cpf },
    Form { template: "99999999999", hints: CPF, check: check::cpf },
    Form { template: "999999999-99", hints: CPF, check: check::cpf },
    Form { template: "XX.XXX.XXX/XXXX-99", hints: &[], check: check::cnpj },
    Form { template: "99999999999999", hints: CNPJ, check: check::cnpj },
    Form { template: "XXXXXXXXXXXX99", hints: CNPJ, check: check::cnpj },
    Form { template: "99999999A", hints: &[], check: check::dni },
    Form { template: "99999999-A", hints: &[], check: check::dni },
    Form { template: "99.999.999-A", hints: &[], check: check::dni },
    Form { template: "A9999999A", hints: &[], check: check::nie },
    Form { template: "A-9999999-A", hints: &[], check: check::nie },
    Form { template: "A-9999999A", hints: &[], check: check::nie },
    Form { template: "999-99-9999", hints: &[], check: check::ssn },
    Form { template: "999 99 9999", hints: SSN, check: check::ssn },
    Form { template: "999999999", hints: SSN, check: check::ssn },
    Form { template: "AA999999A", hints: &[], check: check::nino },
    Form { template: "AA 99 99 99 A", hints: &[], check: check::nino },
    Form { template: "AA 999999 A", hints: &[], check: check::nino },
    Form { template: "99999XX99999999", hints: &[], check: check::nir },
    Form { template: "9 99 99 XX 999 999 99", hints: &[], check: check::nir },
    Form { template: "99999XX999999 99", hints: &[], check: check::nir },
    Form { template: "9 99 99 XX 999 999", hints: NIR, check: check::nir_without_key },
    Form { template: "99999999999", hints: STEUER, check: check::steuer_id },
    Form { template: "99 999 999 999", hints: STEUER, check: check::steuer_id },
    Form { template: "AAAAAAXXAXXAXXXA", hints: &[], check: check::codice_fiscale },
    Form { template: "AAA AAA XXAXX AXXXA", hints: &[], check: check::codice_fiscale },
    Form { template: "99999999999", hints: PESEL, check: check::pesel },
];

/// The end of the national number that starts at the capital letter or digit at `at`.
pub(super) fn starting(scan: &Scan<'_>, at: usize) -> Option<End> {
    if scan.goes_on(at) || scan.before(at) == Some(b'_') {
        return None;
    }
    FORMS.iter().find_map(|form| {
        let (end, number) = form::read(scan, at, form.template)?;
        let clean = scan.closes(end) && !scan.is_gone_on_with(end) && scan.byte(end) != Some(b'_');
        let told = !form.hints.is_empty();
        let believed =
            clean && (form.check)(&number) && (!told || hint::names(scan, at, form.hints));
        believed.then_some(End { at: end, told })
    })
}
