import Testing
import Wire

struct SOCKS5Tests {
    @Test func repliesHaveWords() {
        #expect(SOCKS5.words(ofReply: 2) == "not allowed by its rules")
        #expect(SOCKS5.words(ofReply: 5) == "connection refused")
        #expect(SOCKS5.words(ofReply: 200) == nil)
        #expect(Set((1...8).map { SOCKS5.words(ofReply: $0) }).count == 8)
    }

    @Test func addressOfEachKindHasItsLength() {
        #expect(SOCKS5.addressLength([5, 1, 0, 1, 127]) == 4)
        #expect(SOCKS5.addressLength([5, 1, 0, 3, 11]) == 12)
        #expect(SOCKS5.addressLength([5, 1, 0, 4, 0]) == 16)
        #expect(SOCKS5.addressLength([5, 1, 0, 2, 0]) == nil)
    }
}
