import Captures
import Testing

/// RFC 9112, section 6.1; RFC 9110, section 5.6.1.
struct TransferCodingsTests {
    @Test(
        arguments: [
            (["chunked"], ["chunked"], true), (["gzip", " Chunked\t"], ["gzip", "chunked"], true),
            (["gzip,chunked"], ["gzip", "chunked"], true), (["chunked,"], ["chunked"], false),
            ([", chunked"], ["chunked"], false), (["", "chunked"], ["chunked"], false), ([""], [], false),
            (["chun ked"], ["chun ked"], false), (["xchunked"], ["xchunked"], true),
            (["chunked;q=1"], ["chunked;q=1"], false), (["\u{b}chunked"], ["\u{b}chunked"], false),
            (["chunked\r"], ["chunked\r"], false), (["chun\u{212a}ed"], ["chun\u{212a}ed"], false),
            (["a=\",chunked"], ["a=\"", "chunked"], false),
        ] as [([String], [String], Bool)]
    )
    func valuesAreOneList(values: [String], names: [String], arePlain: Bool) {
        let codings = TransferCodings(values.map(\.utf8))
        #expect(codings.names.map { Array($0.utf8) } == names.map { Array($0.utf8) })
        #expect(codings.arePlain == arePlain)
        #expect(codings.endInChunked == (names.last == "chunked"))
        #expect(codings.chunkedCount == (names.contains("chunked") ? 1 : 0))
    }

    @Test func chunkedIsCounted() {
        #expect(TransferCodings(["chunked, Chunked".utf8]).chunkedCount == 2)
    }
}
