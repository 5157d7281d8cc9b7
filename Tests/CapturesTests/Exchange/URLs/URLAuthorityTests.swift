import Captures
import Testing

/// The authority of a URL, made of a host and a port.
struct URLAuthorityTests {
    @Test(arguments: [
        ("idp.example", "idp.example:8443"), ("127.0.0.1", "127.0.0.1:8443"), ("::1", "[::1]:8443"),
        ("[::1]", "[::1]:8443"), ("2001:db8::7", "[2001:db8::7]:8443"),
    ])
    func addressOfVersion6StandsInBrackets(host: String, text: String) {
        #expect(URLAuthority.text(host, port: 8443) == text)
        #expect(URLAuthority.bracketed(host) + ":8443" == text)
    }
}
