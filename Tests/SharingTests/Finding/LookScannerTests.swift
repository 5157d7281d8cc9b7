import Testing

@testable import Sharing

/// What is found by its look alone.
struct LookScannerTests {
    private static func found(_ text: String, personal: Bool = true) -> [String] {
        let bytes = Array(text.utf8)
        return LookScanner(findsPersonal: personal).findings(in: bytes).map {
            "\($0.kind.rawValue): \(String(decoding: bytes[$0.range], as: UTF8.self))"
        }
    }

    @Test(arguments: [
        (
            "key ghp_16C7e42F292c6912E7710c838347Ae178B4a!",
            ["token: ghp_16C7e42F292c6912E7710c838347Ae178B4a"]
        ),
        ("x='q7Zr2LkX9vTb4WmN8cYp1HsJ'", ["unexplained random text: q7Zr2LkX9vTb4WmN8cYp1HsJ"]),
        ("state_of_app_q7Zr2LkX9vTb4WmN8cYp1HsJ", ["unexplained random text: q7Zr2LkX9vTb4WmN8cYp1HsJ"]),
        ("%2Fq7Zr2LkX9vTb4WmN8cYp1HsJ.", ["unexplained random text: q7Zr2LkX9vTb4WmN8cYp1HsJ"]),
        ("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----", ["private key: \nMIIE\n"]),
        ("mail alice@harbour.example.", ["e-mail address: alice@harbour.example"]),
        ("call +65 9123 4567 now", ["phone number: +65 9123 4567"]),
        ("from 203.0.113.9, 2001:db8::7", ["IP address: 203.0.113.9", "IP address: 2001:db8::7"]),
        ("http://203.0.113.9/x", ["IP address: 203.0.113.9"]),
    ])
    func secretsAndPersonalData(text: String, expected: [String]) {
        #expect(Self.found(text) == expected)
    }

    @Test(arguments: [
        "the-quick-brown-fox-jumps-over-the-lazy-dog", "id_token_signing_alg_values_supported",
        "2026-03-21T09:15:00.000Z", "Chrome/119.0.0.0 Safari/537.36", "v1.2.3.4", "12:30:45", "127.0.0.1",
        "::1",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", "a@b", "@media print", "+1",
        "com.example.harbour.shop.android.login", "10px 20px", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "",
    ])
    func whatIsNoneStays(text: String) {
        #expect(Self.found(text).isEmpty)
    }

    @Test func peopleAreLeftWhereThatIsWanted() {
        #expect(Self.found("alice@harbour.example +65 9123 4567 203.0.113.9", personal: false).isEmpty)
    }
}
