import TestSupport
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
        (
            "in as ODIzNDU2Nzg5MDEyMzQ1Njc4.GhAbC1.qU8JZpDE0iGXlD6gNCFbaEPFjbD0kH8Oool8Dk",
            [
                "unexplained random text: ODIzNDU2Nzg5MDEyMzQ1Njc4.GhAbC1.qU8JZpDE0iGXlD6gNCFbaEPFjbD0kH8Oool8Dk"
            ]
        ),
        ("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----", ["private key: \nMIIE\n"]),
        (
            #"[["x",[null,"108374652918273645519"]],"[\"118374652918273645519\",1]"]"#,
            ["subject: 108374652918273645519", "subject: 118374652918273645519"]
        ),
        (
            #""10837465291827364551" "1083746529182736455190" "908374652918273645519" 108374652918273645519"#,
            []
        ),
        ("mail alice@harbour.example.", ["e-mail address: alice@harbour.example"]),
        ("<alice@xn--hfen-5qa.xn--p1ai>", ["e-mail address: alice@xn--hfen-5qa.xn--p1ai"]),
        ("alice@harbour.x7, alice@.xn--p1ai", []),
        ("call +65 9123 4567 now", ["phone number: +65 9123 4567"]),
        ("+65\u{a0}9123\u{2011}4567\u{a0}now", ["phone number: +65\u{a0}9123\u{2011}4567"]),
        ("call 0065 9123 4567 now, not 0065912345678", ["phone number: 0065 9123 4567"]),
        (
            "(415) 555-0163 or (415)555.0164 or",
            ["phone number: (415) 555-0163", "phone number: (415)555.0164"]
        ),
        ("Tel. 0151 234567-89", ["phone number: 0151 234567-89"]),
        ("Call us back at 555-010-0163 please", ["phone number: 555-010-0163"]),
        ("sms 06 12 34 56 78", ["phone number: 06 12 34 56 78"]),
        ("+49.151.23456789", ["phone number: +49.151.23456789"]),
        ("hotel 0151 234567-89, +12.3456789, mobile 2026-03-25, 0151 234567-89", []),
        ("call 112, call 1774430120, +12.345.678,90 EUR", []),
        ("last call 2026-03-25 10:15, sms 3/25/2026 10:15, Chrome Mobile 120.0.6099.144", []),
        (
            "call from 203.0.113.9, tel. 06.12.34.56.78",
            ["IP address: 203.0.113.9", "phone number: 06.12.34.56.78"]
        ),
        ("f(415) 555-0163, (115) 555-0163, (415) 555-01634", []),
        ("from 203.0.113.9, 2001:db8::7", ["IP address: 203.0.113.9", "IP address: 2001:db8::7"]),
        (
            "by 2001:db8::51:7. 2001:db8:85a3:0:0:8a2e:370:7334: refused",
            ["IP address: 2001:db8::51:7", "IP address: 2001:db8:85a3:0:0:8a2e:370:7334"]
        ),
        ("a2:b3:c4:d5:e6:f7:a8:b9:c, 2001:db8::7.x, 2001:db8::7z", []),
        ("http://203.0.113.9/x", ["IP address: 203.0.113.9"]),
        ("android:203.0.113.9", ["IP address: 203.0.113.9"]),
        // Keys for one-time codes, without digits.
        ("Enter this key: JBSW YDPE HPKA BXYQ", ["credentials: JBSW YDPE HPKA BXYQ"]),
        ("<p>Setup key</p><code>jbswydpehpkabxyw</code>", ["credentials: jbswydpehpkabxyw"]),
        ("Schlüssel manuell eingeben: JBSWYDPEHPKABXYV", ["credentials: JBSWYDPEHPKABXYV"]),
        ("Enter this key: TEXT THIS CODE HERE, backgroundstyles", []), ("JBSW YDPE HPKA BXYQ", []),
        // Singapore, with each of its letters in front.
        ("s=S1234567D,u=1", ["personal data: S1234567D"]), ("T0123456G", ["personal data: T0123456G"]),
        ("G1612345K/", ["personal data: G1612345K"]), ("F5611345L", ["personal data: F5611345L"]),
        ("M1234567K", ["personal data: M1234567K"]),
        ("fin g1612345k", ["personal data: g1612345k"]), ("s1234567D", []),
        ("NRIC S 1234567 D was", ["personal data: S 1234567 D"]),
        ("S1234567-D", ["personal data: S1234567-D"]), ("S-1234567-D.", ["personal data: S-1234567-D"]),
        // Named, whatever the last letter is.
        ("NRIC S 9812381 A", ["personal data: S 9812381 A"]),
        (#""fin":"g1234568q""#, ["personal data: g1234568q"]), ("finish S9812381A", []),
        // Of companies.
        ("UEN 201912345R.", ["personal data: 201912345R"]), ("53123456L", ["personal data: 53123456L"]),
        ("T08GB0046G", ["personal data: T08GB0046G"]),
        ("201912345A, 531234567L, T08GB0046A, A08GB0046G, 301912345R, 201912345RX", []),
        ("S1234567 D", []), ("S 1234567-D", []), ("S 1234567D", []), ("S-1234567 D", []), ("S 1234567", []),
        ("pnr 19811218-9876", ["personal data: 19811218-9876"]),
        ("811218-9876", ["personal data: 811218-9876"]),
        ("?p=198112189876&", ["personal data: 198112189876"]),
        ("SSN: 078-05-1120", ["personal data: 078-05-1120"]),
        // Brazil, Italy, Finland, Norway, Estonia, Poland, Belgium, Spain (two), the Emirates.
        ("CPF 529.982.247-25.", ["personal data: 529.982.247-25"]),
        (">RSSMRA85T10A562S<", ["personal data: RSSMRA85T10A562S"]),
        ("hetu 131052-308T", ["personal data: 131052-308T"]),
        ("pid=09057517287", ["personal data: 09057517287"]), ("38001085718", ["personal data: 38001085718"]),
        ("44051401359", ["personal data: 44051401359"]),
        ("93.05.18-223.61", ["personal data: 93.05.18-223.61"]),
        ("12345678Z, X1234567L", ["personal data: 12345678Z", "personal data: X1234567L"]),
        ("784-1980-1234567-8", ["personal data: 784-1980-1234567-8"]),
        ("to SE45 5000 0000 0583 9825 7466.", ["personal data: SE45 5000 0000 0583 9825 7466"]),
        ("DE89370400440532013000", ["personal data: DE89370400440532013000"]),
        ("card 4111 1111 1111 1111", ["personal data: 4111 1111 1111 1111"]),
        ("5555555555554444", ["personal data: 5555555555554444"]),
        (
            "from d4:22:e0:d6:aa:12, D4-22-E0-D6-AA-13.",
            [
                "personal data: d4:22:e0:d6:aa:12", "personal data: D4-22-E0-D6-AA-13",
            ]
        ),
    ])
    func secretsAndPersonalData(text: String, expected: [String]) {
        #expect(Self.found(text) == expected)
    }

    @Test(arguments: [
        "the-quick-brown-fox-jumps-over-the-lazy-dog", "id_token_signing_alg_values_supported",
        "2026-03-21T09:15:00.000Z", "Chrome/119.0.0.0 Safari/537.36", "v1.2.3.4", "12:30:45", "127.0.0.1",
        "::1", "[a-z]+@shop.example",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", "a@b", "@media print", "+1",
        "S1234567A", "xS1234567D", "S1234567D9", "811218-9875", "202603150915", "20260315-0915",
        "900-12-3456", "529.982.247-26", "RSSMRA85T10A562T", "131052-309T", "12345678901",
        "93.05.18-223.62", "X1234567M", "12345678A", "784-1980-1234567-9", "090575172870",
        "DE88370400440532013000", "4111 1111 1111 1112", "1773566108123456",
        "com.example.harbour.shop.android.login", "main.4f3a9b2c1d5e.chunk.js",
        "q7Zr2LkX9vTb4WmN8cYp1HsJ.assets1.cdn-of-the-harbour-shop-example", "10px 20px",
        "AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD", "ff:ff:ff:ff:ff:ff",
        "10:15:20:25:30:35", "d4-22-e0-d6-aa-12-7", "xd4:22:e0:d6:aa:12", "d4:22:e0:d6:aa",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "", "Name=\"urn:oid:2.5.4.42\"",
    ])
    func whatIsNoneStays(text: String) {
        #expect(Self.found(text).isEmpty)
    }

    /// By their shape, their days and their check digits.
    @Test(arguments: [
        "RSSMRA85T12A56NL", "RSSMRA85T13ARSNU", "RSSMRAURTMQARSNN", "rssmra85t11a562r", "185057800608491",
        "2 90 06 78 006 085 05", "070761-4285", "130-692-544", "317 266 3558", "AB 12 34 56 C",
        "60395289478", "756.8265.5022.93", "6775 010180", "2831 5063 7466", "ABCPE1234F",
        "11010519491231002X", "A123456789", "880101-1234568", "4183-7100-8939", "1234567T", "12.345.678-5",
        "10000000146", "52998224725", "8001015009087", "800101/1238", "1960315123451", "HEGG560427MVZRRL04",
        "A123456(3)", "880101-10-5432", "912-70-1234", "DE62-3704-0044-0532-0130-01",
    ])
    func numberOfAStateIsFound(number: String) {
        #expect(Self.found("no \(number), x") == ["personal data: \(number)"])
    }

    /// Their neighbours, and a part of a longer number.
    @Test(arguments: [
        "RSSMRA85T12A56NM", "RSSMRA85Z12A56NL", "Rssmra85t11a562r", "185057800608492", "070761-4286",
        "130-692-545", "317 266 3559", "GB123456C", "AB123456C", "AB 12 34 56 E", "60395289479",
        "756.8265.5022.94",
        "6775 010181", "2831 5063 7461", "ABCDE1234F", "11010519491231002A", "A123456780", "880101-1234567",
        "4183-7100-8931", "1234567A", "12.345.678-6", "10000000147", "52998224726", "8001015009088",
        "800101/1239", "1960315123452", "HEGG560427MVZRRL05", "A123456(4)", "880101-60-5432", "912-30-1234",
        "2831 5063 7466 1", "1 2831 5063 7466", "11111111111",
    ])
    func neighbourOfSuchANumberStays(number: String) { #expect(Self.found("no \(number), x").isEmpty) }

    @Test func peopleAreLeftWhereThatIsWanted() {
        #expect(Self.found("alice@harbour.example +65 9123 4567 203.0.113.9", personal: false).isEmpty)
    }

    /// What looks like the beginning of a key, again and again.
    @Test(arguments: ["otpauth://", "abcd "])
    func timeGrowsWithTheText(unit: String) {
        func seconds(_ bytes: Int) -> Double {
            let text = Array(String(repeating: unit, count: bytes / unit.utf8.count).utf8)
            return ProcessorTime.seconds { _ = LookScanner(findsPersonal: false).findings(in: text) }
        }
        let small = seconds(10_000)
        // Eight times the text: linear is 8, quadratic 64.
        #expect(seconds(80_000) < 30 * max(small, 0.002))
    }
}
