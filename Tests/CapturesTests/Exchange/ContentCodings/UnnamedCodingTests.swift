import Captures
import TestSupport
import Testing

/// Bodies whose coding may be said by a header field that is not known.
struct UnnamedCodingTests {
    /// "authreel".
    private static let gzip = "1f8b08000000000000034b2c2dc9284a4dcd0100d620662d08000000"

    private func body(_ bytes: [UInt8], unknown: Int = 1, coding: String? = nil) throws -> Body {
        var assembler = ExchangeAssembler(
            scheme: "https",
            authority: "idp.example",
            maximumBodyBytes: 1 << 20
        )
        let time = Timestamp(seconds: 1_790_000_000)
        let request = RequestHead(
            method: "GET",
            target: "/jwks",
            httpVersion: "HTTP/2",
            headers: HeaderFields()
        )
        assembler.receive(.requestHead(request, at: time), of: 1)
        assembler.receive(.requestEnd(at: time), of: 1)
        var response = ResponseHead(
            status: 200,
            statusText: "",
            httpVersion: "HTTP/2",
            headers: HeaderFields(coding.map { [("content-encoding", $0)] } ?? [])
        )
        response.unknownFields = unknown
        assembler.receive(.responseHead(response, at: time), of: 1)
        bytes.withUnsafeBufferPointer { assembler.receiveBody($0, of: .response, in: 1) }
        assembler.receive(.responseEnd(at: time), of: 1)
        return try #require(assembler.takeFinished().first?.response?.body)
    }

    @Test func whatIsGzipToItsEndIsUndone() throws {
        let undone = try body([UInt8](hex: Self.gzip))
        #expect(undone.text == "authreel" && undone.remainingCoding == nil && undone.wireSize == 28)
    }

    @Test func aTextHasNoCoding() throws {
        let text = try body(Array("{\"keys\":\n\t[\"ü\"]}".utf8))
        #expect(text.text == "{\"keys\":\n\t[\"ü\"]}" && text.remainingCoding == nil)
    }

    /// Gzip that breaks off, gzip with a byte changed, what is neither (brotli has no mark), and a text with a control character.
    @Test(arguments: [
        String(gzip.dropLast(2)), gzip.replacing("4b2c", with: "4b2d"), "0b0380617574687265656c03",
        "6161016161",
    ])
    func whatDoesNotTellIsKeptAndMarked(hex: String) throws {
        let kept = try body([UInt8](hex: hex))
        #expect(kept.bytes == [UInt8](hex: hex) && kept.remainingCoding == "unknown")
    }

    /// A field that is there counts, and without fields that are not known there is none.
    @Test func aCodingThatIsKnownIsNoQuestion() throws {
        #expect(try body([UInt8](hex: Self.gzip), coding: "gzip").text == "authreel")
        let bytes = [UInt8](hex: Self.gzip)
        let plain = try body(bytes, unknown: 0)
        #expect(plain.bytes == bytes && plain.remainingCoding == nil)
        #expect(try body(bytes, coding: "identity").bytes == bytes)
    }
}
