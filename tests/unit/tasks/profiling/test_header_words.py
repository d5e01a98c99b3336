"""Headers as tables in several languages have them, and what they are understood as."""

from __future__ import annotations

import tomllib

import pytest

from policies.drafting.table_profile import Meaning
from tasks.profiling.header_words import WORDS, folded, meaning_of

LANGUAGES = {"en", "ru", "de", "fr", "it", "es", "pl", "uk", "ro", "nl", "tr", "pt", "el", "cs"}
HEADERS = {
    "en": "patient_id lastName First-Name DateOfBirth zipCode city STREET phone1 e-mail sex age income diagnosis_code occupation education"
    " nationality remarks marital_status cost admission_date",
    "de": "Patientennummer Nachname Vorname Geburtsdatum PLZ Wohnort Straße Telefon E-Mail Geschlecht Alter Einkommen Diagnose Beruf"
    " Schulbildung Staatsangehörigkeit Bemerkung Familienstand Kosten Aufnahmedatum",
    "fr": "identifiant NOM prénom date_naissance code_postal commune rue téléphone courriel sexe âge revenu diagnostic profession"
    " diplôme nationalité remarques état_civil coût date_admission",
    "it": "identificativo cognome nome data_di_nascita CAP comune via telefono e-mail sesso età reddito diagnosi professione"
    " istruzione nazionalità note stato_civile costo data_ricovero",
    "es": "identificador apellido1 nombre fecha_nacimiento código_postal municipio calle teléfono correo sexo edad ingresos diagnóstico"
    " profesión estudios nacionalidad observaciones estado_civil coste fecha_alta",
    "pl": "identyfikator nazwisko imię data_urodzenia kod_pocztowy miejscowość ulica telefon e-mail płeć wiek dochód rozpoznanie zawód"
    " wykształcenie obywatelstwo uwagi stan_cywilny koszt data_przyjęcia",
    "ro": "identificator nume prenume data_nașterii cod_poștal localitate strada telefon e-mail sex vârsta venit diagnostic profesie"
    " studii cetățenie observații stare_civilă cost data_internării",
    "nl": "patiëntnummer achternaam voornaam geboortedatum postcode woonplaats straat telefoon e-mail geslacht leeftijd inkomen diagnose"
    " beroep opleiding nationaliteit opmerkingen burgerlijke_staat kosten opnamedatum",
    "ru": "номер_карты фамилия имя дата_рождения индекс город улица телефон почта пол возраст доход диагноз профессия образование"
    " гражданство примечание семейное_положение стоимость дата_поступления",
    "uk": "номер_картки прізвище ім'я дата_народження індекс місто вулиця телефон пошта стать вік дохід діагноз професія освіта"
    " громадянство примітки сімейний_стан вартість дата_виписки",
    "tr": "dosya_no soyadı adı doğum_tarihi posta_kodu şehir sokak telefon e-posta cinsiyet yaş gelir tanı meslek eğitim uyruk"
    " açıklama medeni_hal maliyet yatış_tarihi",
    "pt": "identificador apelido primeiro_nome data_nascimento código_postal localidade morada telefone e-mail sexo idade rendimento"
    " diagnóstico profissão escolaridade nacionalidade observações estado_civil custo data",
    "el": "αριθμός_μητρώου επώνυμο όνομα ημερομηνία_γέννησης ΤΚ πόλη οδός τηλέφωνο e-mail φύλο ηλικία εισόδημα διάγνωση επάγγελμα"
    " εκπαίδευση υπηκοότητα παρατηρήσεις οικογενειακή_κατάσταση κόστος ημερομηνία",
    "cs": "číslo_pacienta příjmení jméno datum_narození PSČ obec ulice telefon e-mail pohlaví věk příjem diagnóza povolání vzdělání"
    " občanství poznámka rodinný_stav náklady datum_přijetí",
}
MEANT = [
    *(Meaning.ID, Meaning.LAST_NAME, Meaning.FIRST_NAME, Meaning.BIRTH_DATE, Meaning.POSTAL_CODE, Meaning.CITY, Meaning.STREET),
    *(Meaning.PHONE, Meaning.E_MAIL, Meaning.SEX, Meaning.AGE, Meaning.INCOME, Meaning.DIAGNOSIS, Meaning.OCCUPATION, Meaning.EDUCATION),
    *(Meaning.NATIONALITY, Meaning.FREE_TEXT, Meaning.MARITAL_STATUS, Meaning.AMOUNT, Meaning.DATE),
]


@pytest.mark.parametrize("language", HEADERS)
def test_a_table_with_headers_in_this_language_is_understood(language):
    assert [meaning_of(header) for header in HEADERS[language].split()] == MEANT


@pytest.mark.parametrize(
    ("header", "meaning"),
    [
        ("Versichertennummer", Meaning.INSURANCE_NUMBER),
        ("KRANKENVERSICHERTEN-NR.", Meaning.INSURANCE_NUMBER),
        ("codice fiscale", Meaning.INSURANCE_NUMBER),
        ("PESEL", Meaning.INSURANCE_NUMBER),
        ("СНИЛС", Meaning.INSURANCE_NUMBER),
        ("Geb.-Dat.", Meaning.BIRTH_DATE),
        ("datenaissance", Meaning.BIRTH_DATE),
        ("nom de naissance", Meaning.LAST_NAME),  # not a date of birth
        ("Geburtsname", Meaning.LAST_NAME),
        ("icd10", Meaning.DIAGNOSIS),
        ("StraßeHausnr", Meaning.STREET),
        ("street name", Meaning.STREET),
        ("Bundesland", Meaning.REGION),
        ("age_group", Meaning.AGE),
        ("Name", Meaning.NAME),
        ("ФИО", Meaning.NAME),
        ("stage", None),  # holds "age"
        ("wages_paid", Meaning.INCOME),
        ("blood", None),
        ("wgt", Meaning.SAMPLING_WEIGHT),
        ("finalWeight", Meaning.SAMPLING_WEIGHT),
        ("Hochrechnungsfaktor", Meaning.SAMPLING_WEIGHT),
        ("pondération", Meaning.SAMPLING_WEIGHT),
        ("factor_expansion", None),  # the phrase has a "de"
        ("factor de expansión", Meaning.SAMPLING_WEIGHT),
        ("Gewicht", Meaning.WEIGHT),
        ("poids", Meaning.WEIGHT),
        ("hh_id", Meaning.HOUSEHOLD),
        ("HHID", Meaning.HOUSEHOLD),
        ("Haushaltsnummer", Meaning.HOUSEHOLD),
        ("identifiant ménage", Meaning.HOUSEHOLD),
        ("id_hogar", Meaning.HOUSEHOLD),
        ("household_income", Meaning.INCOME),
        ("", None),
    ],
)
def test_a_header_is_understood_by_whole_words(header, meaning):
    assert meaning_of(header) is meaning


def test_every_meaning_has_words_in_every_language():
    sections = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    assert list(sections) == [meaning.value for meaning in Meaning]
    assert {meaning: LANGUAGES ^ set(words) for meaning, words in sections.items() if LANGUAGES ^ set(words)} == {}
    assert all(phrase.strip(" *") for words in sections.values() for listed in words.values() for phrase in listed.split(","))


def test_case_and_accents_do_not_matter():
    assert folded("ÉTAT Straße Łódź yaşı Müller ηλικία") == "etat strasse lodz yasi muller ηλικια"
