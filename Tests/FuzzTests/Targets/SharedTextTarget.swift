import Captures
import JSON
@testable import Sharing

/// A text of a message, as `share` reads the values in it and writes it anew: as every kind of text, as a body, and in a
/// capture from which it takes the secrets.
enum SharedTextTarget {
    static func check(_ input: [UInt8]) throws(FuzzFinding) {
        let guessed = TextKind.guessed(input[...])
        for kind in kinds + [guessed] { try slots(of: input, kind) }
        try codings(input)
        try looks(input)
        try body(input)
        try redaction(input)
    }

    private static let kinds: [TextKind] = [
        .url, .refresh, .links, .lines, .form, .cookies, .setCookie, .authorization, .clientAuthorization,
        .userPassword, .clientPassword, .json, .claims, .html, .disposition,
        .multipart(boundary: Array("b".utf8)), .globalID, .text,
    ]

    /// Values lie in their text, and are the same ones where it stands in a longer one.
    private static func slots(of input: [UInt8], _ kind: TextKind) throws(FuzzFinding) {
        let slots = SlotReader.slots(in: input[...], as: kind)
        let longer = [0x22, 0x3c] + input + [0x3e, 0x22]
        let same = SlotReader.slots(in: longer[2..<(longer.count - 2)], as: kind)
        try require(slots.count == same.count, "\(slots.count) and \(same.count) values as \(kind)")
        for (slot, other) in zip(slots, same) {
            let range = slot.range
            try require(
                range.lowerBound >= 0 && range.upperBound <= input.count,
                "\(range) of \(input.count) bytes as \(kind)"
            )
            try require(
                slot.name == other.name && range.lowerBound + 2 == other.range.lowerBound
                    && range.count == other.range.count,
                "\(slot.name) at \(range) and \(other.name) at \(other.range) as \(kind)"
            )
        }
    }

    /// What is decoded and stays as it is keeps its bytes.
    private static func codings(_ input: [UInt8]) throws(FuzzFinding) {
        for coding in TextCoding.allCases {
            let decoded = coding.decoded(input[...])
            try require(decoded.encoding(decoded.bytes, as: coding) == input, "\(coding) written anew")
        }
        for coding in [BinaryCoding.base64, .hexadecimal] {
            for run in coding.runs(in: input) {
                let other = coding.changing(input[run], { $0 })
                try require(other == nil || other?.count == run.count, "\(coding) of another length")
            }
        }
        guard let inner = Base64Text(input) else { return }
        let again = Base64Text(inner.encoding(inner.text))
        try require(again?.text == inner.text, "base64 written anew")
    }

    /// What is found by its look lies in the text.
    private static func looks(_ input: [UInt8]) throws(FuzzFinding) {
        for found in LookScanner().findings(in: input) {
            let range = found.range
            try require(
                !range.isEmpty && range.lowerBound >= 0 && range.upperBound <= input.count,
                "\(found.kind) at \(range) of \(input.count) bytes"
            )
        }
    }

    private static let mediaTypes = [
        "", "text/html", "application/json", "application/x-www-form-urlencoded", "text/csv",
        "multipart/form-data; boundary=b",
    ]

    /// Where nobody wants anything changed an entry stays as it is, whatever it says that its body is.
    private static func body(_ input: [UInt8]) throws(FuzzFinding) {
        let walker = EntryWalker(texts: TextWalker { _ in nil }, sweep: { _ in nil })
        for type in mediaTypes {
            let body = JSONValue.object(body(input, type))
            try require(walker.rewriting(body) == body, "as \(type) it changes by itself")
        }
    }

    /// A capture from which the secrets are taken has the entry that it had, also where the text is the value of a cookie.
    private static func redaction(_ input: [UInt8]) throws(FuzzFinding) {
        let cookie: JSONValue = ["name": "text", "value": .string(String(decoding: input, as: UTF8.self))]
        let entry: JSONValue = [
            "startedDateTime": "2026-03-04T09:54:08.356Z", "time": 1,
            "request": [
                "method": "GET", "url": "https://app.example/cb", "headers": [], "cookies": [cookie],
            ],
            "response": ["status": 200, "headers": [], "content": .object(body(input, ""))],
        ]
        do {
            let document: JSONValue = ["log": ["version": "1.2", "entries": [entry]]]
            let capture = try CaptureReader.read(bytes: JSONWriter.bytes(of: document), name: "capture")
            var options = SharingOptions()
            options.shiftsTimes = true
            let redactor = Redactor(
                [(capture, [])],
                options: options,
                random: { Array(repeating: 7, count: $0) },
                makeKey: { _ in nil }
            )
            var written: [UInt8] = []
            let mark = Redaction(version: "1", date: "2026-03-04")
            redactor.write(capture, flows: [], entries: [0], mark: mark) { written += $0 }
            let shared = try CaptureReader.read(bytes: written, name: "shared")
            try require(shared.count == 1, "\(shared.count) entries")
            _ = CaptureSharing.proof(of: shared, redactor.leakScan())
        } catch {
            throw FuzzFinding("\(error)")
        }
    }

    private static func body(_ input: [UInt8], _ type: String) -> JSONObject {
        if let text = String(validating: input, as: UTF8.self) {
            return ["mimeType": .string(type), "text": .string(text)]
        }
        return ["mimeType": .string(type), "text": .string(Base64.encode(input)), "encoding": "base64"]
    }
}
