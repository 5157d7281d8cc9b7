import Captures
import Foundation
import JSON
import Testing

@testable import Sharing

/// Bodies with a content coding that was not undone.
struct CodedBodyTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var name: String
        var base64: String
        var label: String?
        var codings: [String]
        var isRead: Bool
        var testDescription: String { name }
    }

    private static let secrets = ["KnownAccessToken", "correct-Horse"]

    // {"access_token": "KnownAccessToken-abcdefghijklmnop-0123456789", "password": "correct-Horse-7-battery"}
    static let rows = [
        Row(
            name: "gzip without a name",
            base64: "H4sIAAAAAAACA6tWSkxOTi0uji/Jz07NU7JSUPLOyy/PcwQLhoDEdBOTklNS09IzMrOyc3Lz8gt0DQyN"
                + "jE1MzcwtLJV0FJQKEouLy/OLUkB6k/OLilKTS3Q98ouKU3XNdZMSS0pSiyqVagHtRGJKZwAAAA==",
            label: nil,
            codings: [],
            isRead: true
        ),
        Row(
            name: "gzip that a header names",
            base64: "H4sIAAAAAAACA6tWSkxOTi0uji/Jz07NU7JSUPLOyy/PcwQLhoDEdBOTklNS09IzMrOyc3Lz8gt0DQyN"
                + "jE1MzcwtLJV0FJQKEouLy/OLUkB6k/OLilKTS3Q98ouKU3XNdZMSS0pSiyqVagHtRGJKZwAAAA==",
            label: nil,
            codings: ["gzip"],
            isRead: true
        ),
        Row(
            name: "gzip that is called compress",
            base64: "H4sIAAAAAAACA6tWSkxOTi0uji/Jz07NU7JSUPLOyy/PcwQLhoDEdBOTklNS09IzMrOyc3Lz8gt0DQyN"
                + "jE1MzcwtLJV0FJQKEouLy/OLUkB6k/OLilKTS3Q98ouKU3XNdZMSS0pSiyqVagHtRGJKZwAAAA==",
            label: "compress",
            codings: ["compress"],
            isRead: true
        ),
        Row(
            name: "gzip twice",
            base64: "H4sIAAAAAAACA5Pv5mAAASbm1WFePn5+unp9+ifP+50N3hQU8Oncaf3zxSzcbQ1HSoQnTwoOunzJ2Gjz"
                + "puKiz5+4S3h5ent8fc6e0dWZWiIyhUuou/v05+4gh6rJn7u7giZ7l9h+6u4KLj1bOlnI2yuoW2tqFuNb"
                + "lySvdKBVAJoQe8FzAAAA",
            label: "gzip, gzip",
            codings: ["gzip, gzip"],
            isRead: true
        ),
        Row(
            name: "deflate without its wrapping",
            base64: "q1ZKTE5OLS6OL8nPTs1TslJQ8s7LL89zBAuGgMR0E5OSU1LT0jMys7JzcvPyC3QNDI2MTUzNzC0slXQU"
                + "lAoSi4vL84tSQHqT84uKUpNLdD3yi4pTdc11kxJLSlKLKpVqAQ==",
            label: nil,
            codings: ["deflate"],
            isRead: true
        ),
        Row(
            name: "gzip with another one around it",
            base64: "H4sIAAAAAAACA6tWSkxOTi0uji/Jz07NU7JSUPLOyy/PcwQLhoDEdBOTklNS09IzMrOyc3Lz8gt0DQyN"
                + "jE1MzcwtLJV0FJQKEouLy/OLUkB6k/OLilKTS3Q98ouKU3XNdZMSS0pSiyqVagHtRGJKZwAAAA==",
            label: "gzip, x-foo",
            codings: ["gzip, x-foo"],
            isRead: true
        ),
        Row(
            name: "gzip with a broken header",
            base64: "H4sI/wAAAAACA6tWSkxOTi0uji/Jz07NU7JSUPLOyy/PcwQLhoDEdBOTklNS09IzMrOyc3Lz8gt0DQyN"
                + "jE1MzcwtLJV0FJQKEouLy/OLUkB6k/OLilKTS3Q98ouKU3XNdZMSS0pSiyqVagHtRGJKZwAAAA==",
            label: "gzip",
            codings: ["gzip"],
            isRead: false
        ),
        Row(
            name: "what nobody names",
            base64: "0/gdQmeMsdb7IEVqj7TZ/iNIbZK33AEmS3CVut8EKU5zmL3iByxRdpvA5QovVHmew+gNMld8ocbrEDVa"
                + "f6TJ7hM4XYKnzPEWO2CFqs/0GT5jiK3S9xxBZouw1fofRGmOs9j9IkdskbbbACVKb5S53gMoTXKXvOEG",
            label: nil,
            codings: ["x-foo"],
            isRead: false
        ),
    ]

    @Test(arguments: rows)
    func secretsInACodedBodyAreReplacedOrTheWholeBodyIs(row: Row) throws {
        var world = try SharingWorld()
        world.options.keepsAll = true
        world.append(
            "https://api.example.net/session",
            type: "application/json",
            body: row.base64,
            encoding: "base64"
        )
        let last = (world.document["log"]?["entries"]?.array?.count ?? 0) - 1
        world.change(last) { entry in
            guard var response = entry["response"]?.object, var content = response["content"]?.object else {
                return
            }
            if let label = row.label { content["_authreel"] = ["contentCoding": .string(label)] }
            response["headers"] = .array(
                row.codings.map { ["name": "Content-Encoding", "value": .string($0)] }
            )
            response["content"] = .object(content)
            entry["response"] = .object(response)
        }
        let capture = try world.capture()
        let outcome = try SharingWorld.outcome(of: capture, world.options)
        #expect(outcome.isProven)
        #expect(outcome.report.unread == (row.isRead ? [] : [last]))
        let text = String(decoding: try SharingWorld.texts(of: [capture], world.options)[0], as: UTF8.self)
        let shared = try JSONParser.parse(text.utf8)["log"]?["entries"]?.array?[last]["response"]?["content"]
        let body = try #require(shared?["text"]?.string)
        if row.isRead {
            #expect(shared?["encoding"] == nil)
            #expect(body.hasPrefix(#"{"access_token": ""#))
            for secret in Self.secrets { #expect(!body.contains(secret)) }
        } else {
            let bytes = Base64.decode(body)
            // What shows that it was compressed stays.
            let noise = bytes.dropFirst(bytes.starts(with: [0x1f, 0x8b]) ? 2 : 0)
            #expect(noise.allSatisfy { $0 == 0x2a } && bytes.count == Base64.decode(row.base64).count)
        }
    }

    @Test(arguments: rows)
    func whatCannotBeReadIsNotProven(row: Row) throws {
        var world = try SharingWorld()
        world.options.keepsAll = true
        // As if it had been forgotten to look into one of them.
        let coding = row.label.map { #","_authreel":{"contentCoding":"\#($0)"}"# } ?? ""
        let body = #""mimeType":"application/json","encoding":"base64","text":"\#(row.base64)"\#(coding)"#
        let outcome = try world.outcome(leaving: #""_more":{\#(body)}"#)
        let looksLikeText = row.name.hasPrefix("deflate")
        #expect(outcome.unread == [0] || looksLikeText && outcome.unread.count <= 1)
        #expect(!outcome.isProven || looksLikeText)
    }

    /// A document that is made of text alone; what is called so and is none is read.
    @Test func printedDocumentIsReplacedAsAWhole() throws {
        var world = try SharingWorld()
        world.options.keepsAll = true
        world.append("https://shop.example/a", type: "application/pdf", body: "%PDF-1.4\n(Kira Velsen) Tj\n")
        world.append(
            "https://shop.example/b",
            type: "application/pdf",
            body: #"{"error":"kestrel","given_name":"Meadow"}"#
        )
        let shared = try world.shared()
        #expect(shared.differences.isEmpty)
        let bodies = try [2, 1].map { place in
            try shared.entry(shared.capture.count - place)["response"]?["content"]?["text"]?.string ?? ""
        }
        #expect(bodies[0] == String(repeating: "*", count: 26))
        #expect(bodies[1].contains("kestrel") && !bodies[1].contains("Meadow"))
    }

    /// A form with a picture, compressed as a whole.
    @Test func partOfADecodedBodyThatCannotBeReadIsReplaced() throws {
        let form =
            "H4sIAAAAAAACA9PVrais4uVyzs8rSc0r0XXJLC7IL84syczPs1JIyy/K1U1JLEm0VshLzE21VUpTslZIy8xJhfAS"
            + "9Qry0pUQekMqC1KtFDJzE9NT9YEyvFy8XJ0Bfu68XFJcDAz///Fy6YLs0tXl5QIA11rU0HUAAAA="
        var world = try SharingWorld()
        world.options.keepsAll = true
        world.append(
            "https://api.example.net/upload",
            type: "multipart/form-data; boundary=xyz",
            body: form,
            encoding: "base64"
        )
        let capture = try world.capture()
        let outcome = try SharingWorld.outcome(of: capture, world.options)
        #expect(outcome.isProven)
        #expect(outcome.report.unread == [capture.count - 1])
        let text = String(decoding: try SharingWorld.texts(of: [capture], world.options)[0], as: UTF8.self)
        #expect(text.contains(#"Content-Type: image/png\r\n\r\n************\r\n--xyz--"#))
    }

    @Test func pictureInAPartOfAPartIsReplaced() {
        let inner = "--xyz\r\nContent-Type: image/png\r\n\r\nPNG\u{1}\r\n--xyz--"
        let head = "--abc\r\nContent-Type: multipart/mixed; boundary=xyz\r\n\r\n"
        let other = CodedBody.withoutUnreadParts(
            Array((head + inner + "\r\n--abc--\r\n").utf8),
            mediaType: "multipart/related; boundary=abc"
        )
        #expect(
            other.map { String(decoding: $0, as: UTF8.self) }
                == head + inner.replacing("PNG\u{1}", with: "****") + "\r\n--abc--\r\n"
        )
    }

    private static func reading(_ bytes: [UInt8], _ mediaType: String) -> CodedBody.Reading {
        CodedBody.reading(of: bytes, mediaType: mediaType, label: nil, codings: [])
    }

    @Test func textsAndFontsStay() {
        #expect(Self.reading([0x77, 0x4f, 0x46, 0x32, 0, 1, 0, 0, 1, 0x9c], "font/woff2") == .plain)
        let latin = Array("na\u{ef}ve".unicodeScalars.map { UInt8($0.value) })
        #expect(Self.reading(latin, "text/html") == .plain)
        #expect(Self.reading(Array("{\"a\":1}\u{1e}".utf8), "text/plain;charset=utf-8") == .plain)
        #expect(Self.reading(Array("<svg/>".utf8), "image/svg+xml") == .plain)
        #expect(Self.reading(Array("{\"code\":5}".utf8), "application/grpc+json") == .plain)
        #expect(
            CodedBody.reading(of: Array("{}".utf8), mediaType: "", label: ["x-foo"], codings: ["x-foo"])
                == .plain
        )
    }

    @Test func picturesAndBinaryMessagesAreNotRead() {
        let picture: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 1]
        #expect(Self.reading(picture, "image/png") == .unreadable)
        // A field of protobuf may be made of nothing but characters.
        #expect(
            Self.reading(Array("\n\u{20}correct-horse-battery-staple-0123".utf8), "application/x-protobuf")
                == .unreadable
        )
        #expect(Self.reading(Array("\u{1}\u{2}\n\u{8}alice".utf8), "application/octet-stream") == .unreadable)
    }

    /// A map of MessagePack without a control character in it; text of a single-byte character set, or that is cut, is none.
    @Test func bytesThatAreNoTextAreNotReadWhereNothingSaysWhatTheyAre() {
        let map =
            [0x82, 0xa8] + Array("password".utf8) + [0xaa] + Array("zem4Kestre".utf8) + [
                0xa1, 0x75, 0xa1, 0x78,
            ]
        #expect(Self.reading(map, "application/octet-stream") == .unreadable)
        #expect(Self.reading(map, "") == .unreadable)
        let latin = Array(
            "d\u{e9}j\u{e0} vu, \u{fc}ber, \u{f1}o\u{f1}o".unicodeScalars.map { UInt8($0.value) }
        )
        #expect(Self.reading(latin, "") == .plain)
        #expect(Self.reading(Array("caf\u{e9} \u{2014}".utf8.dropLast()), "") == .plain)
    }

    @Test func textOfUTF16IsReadWithoutItsMark() {
        let text = "{\"password\":\"zem4Kestrel!\"}"
        let little = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        #expect(Self.reading(little, "application/json") == .decoded(Array(text.utf8)))
        #expect(Self.reading(big, "application/json") == .decoded(Array(text.utf8)))
    }

    @Test func partsThatNobodyCanReadAreReplacedAlone() {
        let head =
            "--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nplain\r\n--X\r\n"
            + "Content-Disposition: form-data; name=\"b\"; filename=\"f.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"
        let body = Array(head.utf8) + [0xff, 0xd8, 0x41, 0x42] + Array("\r\n--X--\r\n".utf8)
        let other = CodedBody.withoutUnreadParts(body, mediaType: "multipart/form-data; boundary=X")
        #expect(other == Array((head + "****\r\n--X--\r\n").utf8))
        #expect(
            CodedBody.withoutUnreadParts(other ?? [], mediaType: "multipart/form-data; boundary=X") == nil
        )
    }

    @Test(arguments: ["text/plain", "Text/Plain; charset=utf-8", "text/plain ; charset=utf-8"])
    func filesInSomebodysOwnWordsAreReplaced(type: String) {
        let head =
            "--X\r\nContent-Disposition: form-data; name=\"b\"; filename=\"f.txt\"\r\nContent-Type: \(type)\r\n\r\n"
        let other = CodedBody.withoutUnreadParts(
            Array("\(head)see you at noon\r\n--X--\r\n".utf8),
            mediaType: "multipart/form-data; boundary=X"
        )
        #expect(other == Array("\(head)***************\r\n--X--\r\n".utf8))
    }
}
