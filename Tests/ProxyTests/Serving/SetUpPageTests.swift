import Captures
import Foundation
import LibCrypto
import Testing

@testable import Proxy

struct SetUpPageTests {
    private static let now = Timestamp(seconds: 1_795_219_200)  // 2026-11-21T00:00:00Z

    private func certificate(_ name: String? = nil) throws -> Certificate {
        guard let name else { return try CertificateAuthority.make(now: Self.now).0.certificate }
        return try CertificateIssuer.authority(
            commonName: name,
            key: PrivateKey.generate(.elliptic(.p256)),
            validity: .init(notBefore: 0, notAfter: Self.now.seconds)
        )
    }

    private func origin(_ text: String) throws -> Origin {
        try #require(Origin(authority: text, defaultPort: nil))
    }

    private func page(
        _ address: String = "127.0.0.1:8080",
        network: [String] = [],
        name: String? = nil,
        agent: String = "",
        way: OwnRequest.Way = .direct,
        path: String = "/",
        asksForPassword: Bool = false
    ) throws -> (head: String, body: String) {
        let page = SetUpPage(
            certificate: try certificate(name),
            address: try origin(address),
            network: try network.map(origin),
            asksForPassword: asksForPassword
        )
        let request = OwnRequest(method: "GET", path: path, userAgent: agent, way: way)
        let text = String(decoding: page.response(to: request).bytes(), as: UTF8.self)
        let end = try #require(text.range(of: "\r\n\r\n"))
        return (String(text[..<end.lowerBound]), String(text[end.upperBound...]))
    }

    // MARK: Who asks

    static let agents: [(agent: String, first: [ClientPlatform])] = [
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
            [.appleMobile, .simulator]
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15",
            [.macOS, .appleMobile]
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
            [.macOS]
        ),
        (
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
            [.android]
        ),
        ("Mozilla/5.0 (Android 14; Mobile; rv:133.0) Gecko/133.0 Firefox/133.0", [.android]),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0",
            [.windows]
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0",
            [.firefox, .windows]
        ),
        (
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
            [.debian, .fedora]
        ),
        (
            "Mozilla/5.0 (X11; Fedora; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0",
            [.firefox, .fedora]
        ),
        ("curl/8.11.0", [.commandLine]), ("python-requests/2.32.3", [.commandLine]),
        ("Java/21.0.5", [.java]), ("", []), ("\u{fffd}<script>", []),
    ]

    @Test(arguments: agents.indices)
    func platformIsFoundInTheUserAgent(_ index: Int) throws {
        let row = Self.agents[index]
        #expect(ClientPlatform.named(in: row.agent) == row.first, "\(row.agent)")
        let ordered = ClientPlatform.ordered(for: row.agent)
        #expect(ordered.starts(with: row.first))
        #expect(ordered.count == ClientPlatform.allCases.count)
        #expect(Set(ordered).count == ordered.count)
    }

    @Test func sectionOfTheClientComesFirstAndOpen() throws {
        let body = try page(agent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64)").body
        let first = try #require(body.range(of: "<h2>Windows</h2>"))
        let others = try #require(body.range(of: "<details>"))
        #expect(first.lowerBound < others.lowerBound)
        #expect(!body.contains("<summary>Windows</summary>"))
        for platform in ClientPlatform.allCases where platform != .windows {
            #expect(body.contains("<summary>\(platform.title)</summary>"))
        }
        // Nobody knows: all are closed.
        #expect(
            try page().body.components(separatedBy: "<details>").count == 1 + ClientPlatform.allCases.count
        )
    }

    // MARK: What it says

    @Test func everyCommandHasTheAddressTheRequestCameTo() throws {
        let body = try page("192.0.2.7:9191", network: ["192.0.2.7:9191"]).body
        #expect(!body.contains("HOST") && !body.contains("PORT:"))
        #expect(!body.contains("127.0.0.1:8080"))
        for command in [
            "curl -o authreel-ca.pem http://192.0.2.7:9191/ca.pem",
            "networksetup -setwebproxy Wi-Fi 192.0.2.7 9191", "--proxy-server=192.0.2.7:9191",
            "HTTPS_PROXY=http://192.0.2.7:9191", "-Dhttps.proxyHost=192.0.2.7 -Dhttps.proxyPort=9191",
            "adb reverse tcp:9191 tcp:9191", "server <code>192.0.2.7</code>, port <code>9191</code>",
        ] {
            #expect(body.contains(command), "\(command)")
        }
    }

    @Test func ipv6AddressIsWrittenAsEachPlaceWantsIt() throws {
        let body = try page("[2001:db8::7]:8080", network: ["[2001:db8::7]:8080"]).body
        #expect(body.contains("http://[2001:db8::7]:8080/ca.pem"))
        #expect(body.contains("networksetup -setwebproxy Wi-Fi 2001:db8::7 8080"))
    }

    @Test func everyPlatformSaysHowToRemoveIt() throws {
        let instructions = SetUpInstructions(
            proxy: try origin("127.0.0.1:8080"),
            network: nil,
            certificate: try certificate()
        )
        for platform in ClientPlatform.allCases {
            #expect(instructions.html(for: platform).contains("To remove it again:"), "\(platform)")
        }
    }

    @Test func certificateIsNamedWithFingerprintAndEnd() throws {
        let certificate = try certificate()
        let page = SetUpPage(certificate: certificate, address: try origin("127.0.0.1:8080"), network: [])
        let body = String(
            decoding: page.response(to: OwnRequest(method: "GET", path: "/")).body,
            as: UTF8.self
        )
        let fingerprint = Digest.of(certificate.der).map { String(format: "%02X", $0) }
        #expect(body.replacing("<wbr>", with: "").contains(fingerprint.joined(separator: ":")))
        #expect(body.contains("<dd>authreel 2026-11-21</dd>"))
        #expect(body.contains("<dd>2027-11-21, 00:00 UTC</dd>"))
        let thumbprint = Digest.of(certificate.der, .sha1).map { String(format: "%02X", $0) }.joined()
        #expect(body.contains("delete-certificate -Z \(thumbprint) "))
        #expect(body.contains("certutil -user -delstore Root \(thumbprint)<"))
    }

    @Test func whatComesFromOutsideIsEscaped() throws {
        let name = "<script>alert(1)</script> & \"'"
        let set = try page(name: name, agent: "<b>curl", way: .proxied).body
        #expect(!set.contains("<script") && !set.contains("<b>"))
        #expect(set.contains("<dd>&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;&#39;</dd>"))
        #expect(!(try page(path: "/<script>").body.contains("<script")))
    }

    @Test func pageRunsNothingAndShowsOnlyTheCheck() throws {
        let head = try page().head
        #expect(
            head.contains(
                "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; img-src https://authreel.proxy\r\n"
            )
        )
        #expect(head.contains("Cache-Control: no-store"))
        #expect(try page(path: "/nothing").head.contains("style-src 'unsafe-inline'\r\n"))
    }

    // MARK: The check

    @Test func onlyARequestInsideTLSIsToldThatItIsIntercepted() throws {
        for way in [OwnRequest.Way.direct, .proxied, .intercepted] {
            let body = try page(way: way).body
            #expect(body.contains("You are intercepted") == (way == .intercepted))
            #expect(body.contains("<img src=\"https://authreel.proxy/check.svg\"") == (way == .proxied))
            #expect(body.contains("cannot tell") == (way == .direct))
            let sign = try page(way: way, path: "/check.svg")
            #expect(sign.head.hasPrefix(way == .intercepted ? "HTTP/1.1 200" : "HTTP/1.1 404"))
            #expect(sign.body.contains("ready to record") == (way == .intercepted))
        }
    }

    @Test func unprotectedPageAsksToCompareTheFingerprint() throws {
        #expect(try page("192.0.2.7:8080").body.contains("Compare the fingerprint"))
        #expect(try !page("192.0.2.7:8080", way: .intercepted).body.contains("Compare the fingerprint"))
        #expect(try !page("127.0.0.1:8080").body.contains("Compare the fingerprint"))
    }

    // MARK: Phones

    @Test func phoneIsToldThatItCannotReachLoopback() throws {
        let body = try page("127.0.0.1:9191").body
        #expect(body.contains("authreel record --allow-remote --listen 0.0.0.0:9191"))
        #expect(body.contains("adb reverse tcp:9191 tcp:9191"))
        #expect(!body.contains("<svg"))
    }

    @Test(arguments: [true, false])
    func phoneIsToldWhereAPasswordGoes(asks: Bool) throws {
        let body = try page("192.168.1.5:8080", network: ["192.168.1.5:8080"], asksForPassword: asks).body
        let switched = "port <code>8080</code>, Authentication on, with the user name and password."
        #expect(body.contains(switched) == asks)
        #expect(body.contains("refuses them with status 407") == asks)
    }

    /// The certificate needs none.
    @Test(arguments: [true, false])
    func commandsHaveAPlaceForThePassword(asks: Bool) throws {
        let body = try page("192.168.1.5:8080", asksForPassword: asks).body
        let proxy = "http://\(asks ? "USER:PASSWORD@" : "")192.168.1.5:8080"
        #expect(body.contains("curl --proxy \(proxy) --cacert"))
        #expect(body.contains("export HTTP_PROXY=\(proxy) HTTPS_PROXY=\(proxy) NO_PROXY="))
        #expect(body.contains("export http_proxy=\(proxy) https_proxy=\(proxy) no_proxy="))
        #expect(body.contains("curl -o authreel-ca.pem http://192.168.1.5:8080/ca.pem"))
    }

    @Test func phoneGetsACodeForEachAddress() throws {
        let network = ["192.168.1.20:8080", "172.17.0.1:8080"]
        let body = try page("127.0.0.1:8080", network: network).body
        for address in network {
            let code = try #require(QRCode(Array("http://\(address)/".utf8)))
            #expect(body.contains(code.svg(name: "QR code of http://\(address)/")))
        }
        // Who came by the second one is best told of that.
        let second = try page("172.17.0.1:8080", network: network).body
        #expect(second.contains("Open <a href=\"http://172.17.0.1:8080/\">"))
        #expect(!body.contains("--allow-remote"))
    }

    // MARK: The profile

    @Test func profileIsServedByItsType() throws {
        let head = try page(path: "/ca.mobileconfig").head
        #expect(head.contains("Content-Type: application/x-apple-aspen-config\r\n"))
        #expect(!head.contains("Content-Disposition"))
    }
}
