import Testing

@testable import Sharing

/// The parts of a body, and what is written beside them.
struct MultipartSlotsTests {
    private static func slots(_ text: String, _ boundary: String) -> [String] {
        let slots = MultipartSlots.slots(in: Array(text.utf8)[...], boundary: Array(boundary.utf8))
        return Slot.told(slots, text)
    }

    @Test func partsOfMultipart() {
        let text =
            "--b\r\nContent-Disposition: form-data; name=\"code\"\r\n\r\nxyz\r\n--b\r\nContent-Disposition: form-data; "
            + "name=\"state\"\r\n\r\n1\r\n--b--\r\n"
        #expect(Self.slots(text, "b") == ["code=xyz", "state=1"])
    }

    /// As some tools write the first field of a form: without the beginning of it.
    @Test func partsOfATornForm() {
        let text =
            "\"phone\"\r\n\r\n1\r\n--B1\r\nContent-Disposition: form-data; name=\"pin\"\r\n\r\n2\r\n--B1--"
        #expect(TextKind.guessed(Array(text.utf8)[...]) == .multipart(boundary: Array("B1".utf8)))
        #expect(Self.slots(text, "B1") == ["phone=1", "pin=2"])
    }

    /// RFC 2046, section 5.1.1: nobody reads what stands before the first delimiter and behind the last one.
    @Test(arguments: [
        ("password=zem4K\r\n--b\r\n\r\n1\r\n--b--\r\n", ["=password=zem4K", "=1"]),
        ("--b\r\n\r\n1\r\n--b--\r\npassword=zem4K\r\n", ["=1", "=password=zem4K"]),
        ("--b\r\n\r\n1\r\n--b-- \r\na\r\n\r\nb", ["=1", "=a\r\n\r\nb"]),
        // A part without an empty line is torn.
        ("--b\r\npassword=zem4K\r\n--b--", ["=password=zem4K"]),
        ("\"see\" password=zem4K\r\n--b--", ["=\"see\" password=zem4K"]),
        ("--b--", []), ("", []),
    ])
    func textBesideThePartsIsRead(text: String, told: [String]) {
        #expect(Self.slots(text, "b") == told)
    }

    /// As parts of a batch have them, each a request of its own.
    @Test func fieldsOfAPartAreRead() {
        let text =
            "--b\r\nContent-Type: text/plain\r\nAuthorization: Bearer x1\r\nX-Token: y\r\n\r\n1\r\n--b--"
        #expect(Self.slots(text, "b") == ["Authorization=Bearer x1", "X-Token=y", "=1"])
    }
}
