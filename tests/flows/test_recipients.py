import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from flows.problems import RecipientsProblem
from flows.recipients.reading import read_recipients
from flows.recipients.sources import LeftOut, RecipientTable, Row, read_csv, read_file, read_inline


def numbers(recipients):
    return [one.phone_number for one in recipients.accepted]


@pytest.fixture
def csv_file(tmp_path):
    def write(content, encoding="utf-8"):
        path = tmp_path / "recipients.csv"
        path.write_bytes(content.encode(encoding))
        return path

    return write


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_delimiter_is_found(csv_file, delimiter):
    path = csv_file(f"name{delimiter}phone\nAda{delimiter}+420 777 123 456\n")

    recipients = read_recipients(read_csv(path), None, "420")

    assert numbers(recipients) == ["420777123456"]
    assert recipients.accepted[0].values["name"] == "Ada"


def test_a_byte_order_mark_is_no_part_of_the_first_column(csv_file):
    path = csv_file("phone\n777123456\n", "utf-8-sig")

    assert numbers(read_recipients(read_csv(path), None, "420")) == ["420777123456"]


@pytest.mark.parametrize(
    "name", ["phone", "Phone Number", "phone-number", "NUMBER", "mobile", "MSISDN", "Telefon", "Telefonní číslo"]
)
def test_the_column_is_found_by_its_name(name):
    table = read_inline([{"name": "Ada", name: "777123456"}], "phone")

    assert numbers(read_recipients(table, None, "420")) == ["420777123456"]


def test_the_column_may_be_named():
    table = read_inline([{"phone": "1", "second": "777123456"}], "phone")

    assert numbers(read_recipients(table, "second", "420")) == ["420777123456"]


def test_numbers_are_written_in_many_ways_and_counted_once():
    table = read_inline(["+420 777 123 456", "00420777123456", "777 123 456", "(777) 123-456"], "phone")

    recipients = read_recipients(table, None, "420")

    assert numbers(recipients) == ["420777123456"]
    assert recipients.duplicates == 3


def test_the_first_of_two_lines_wins():
    table = read_inline([{"phone": "777123456", "name": "Ada"}, {"phone": "+420777123456", "name": "Eve"}], "phone")

    assert read_recipients(table, None, "420").accepted[0].values["name"] == "Ada"


def test_national_numbers_belong_to_the_given_country():
    assert numbers(read_recipients(read_inline(["0664 1234567"], "phone"), None, "43")) == ["436641234567"]


def test_a_malformed_line_is_told_with_its_number_and_reason(csv_file):
    path = csv_file('phone,name\n777123456,"two\nlines"\n12,Eve\n,Bob\n\nnobody,Cyd\n608123456,a,b\n')

    recipients = read_recipients(read_csv(path), None, "420")

    assert [one.line for one in recipients.malformed] == [4, 5, 7, 8]
    assert recipients.malformed[0] == LeftOut(4, "The phone number has fewer than 7 digits.")
    assert recipients.malformed[1].reason == "The phone number is missing."
    assert numbers(recipients) == ["420777123456"]


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(RecipientsProblem, match=r"There is no file .*nowhere\.csv\."):
        read_csv(tmp_path / "nowhere.csv")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("phone,name\n", "no recipients"),
        ("phone,name\n,\n\n", "no recipients"),
    ],
)
def test_a_file_without_recipients_is_one_sentence(csv_file, content, sentence):
    with pytest.raises(RecipientsProblem, match=sentence):
        read_csv(csv_file(content))


def test_a_folder_or_another_encoding_is_one_sentence(tmp_path, csv_file):
    with pytest.raises(RecipientsProblem, match="cannot be read"):
        read_csv(tmp_path)
    with pytest.raises(RecipientsProblem, match="UTF-8"):
        read_csv(csv_file("phone\nčíslo", "cp1250"))


def test_a_file_without_a_usable_column_names_its_columns(csv_file):
    table = read_csv(csv_file("name,city\nAda,Brno\n"))

    with pytest.raises(RecipientsProblem, match="its columns: name, city"):
        read_recipients(table, None, "420")
    with pytest.raises(RecipientsProblem, match="'gsm'"):
        read_recipients(table, "gsm", "420")


def test_a_file_without_a_header_is_told_without_its_numbers(csv_file):
    table = read_csv(csv_file("+420777123456\n+420777123457\n"))

    with pytest.raises(RecipientsProblem, match="without a header") as problem:
        read_recipients(table, None, "420")
    assert "777123" not in str(problem.value)


def test_nobody_left_is_a_problem():
    with pytest.raises(RecipientsProblem, match="not one of 1 lines"):
        read_recipients(RecipientTable("list", ("phone",), (Row(1, {"phone": "x"}),)), None, "420")


def test_json_lines_have_the_columns_of_all_their_objects(tmp_path):
    path = tmp_path / "people.jsonl"
    path.write_text(
        '{"phone": "+420 777 123 456", "name": "Ada"}\n\n{"phone": 608123456, "city": null}\n{broken\n[1]\n'
    )

    table = read_file(str(path), "phone_number")
    recipients = read_recipients(table, None, "420")

    assert table.columns == ("phone", "name", "city")
    assert numbers(recipients) == ["420777123456", "420608123456"]
    assert [one.line for one in recipients.malformed] == [4, 5]
    assert table.lines == 4


def test_json_lines_may_be_numbers_alone(tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text('"+420777123456"\n"608123456"\n')

    recipients = read_recipients(read_file(str(path), "phone_number"), None, "420")

    assert numbers(recipients) == ["420777123456", "420608123456"]


@pytest.fixture
def at_an_address():
    servers = []

    def serve(content, status=200):
        class Answer(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(status)
                self.end_headers()
                self.wfile.write(content.encode())

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://user:password@127.0.0.1:{server.server_port}/people.csv?token=secret"

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_file_at_an_address_is_read_and_named_without_its_secrets(at_an_address):
    table = read_file(at_an_address("phone;name\n777123456;Ada\n"), "phone_number")

    assert numbers(read_recipients(table, None, "420")) == ["420777123456"]
    assert table.source.endswith("/people.csv")
    assert "secret" not in table.source
    assert "password" not in table.source


def test_an_address_that_fails_is_one_sentence_without_its_secrets(at_an_address):
    with pytest.raises(RecipientsProblem, match=r"people\.csv cannot be read: it answers with status 403") as problem:
        read_file(at_an_address("no", 403), "phone_number")
    with pytest.raises(RecipientsProblem, match=r"cannot be read \(ConnectError\)"):
        read_file("http://127.0.0.1:9/people.csv", "phone_number")
    assert "secret" not in str(problem.value)
