import Captures
import Proxy
import Testing

@testable import authreel

/// What the terminal says of what the proxy meets, and of what helps.
struct NoticeTellerTests {
    private let teller = NoticeTeller(repeats: false)

    private static func rejection(
        _ client: ClientFacts,
        _ host: String = "idp.example:443",
        passes: Bool = true
    )
        -> ProxyNotice
    {
        .clientRejectedCertificate(host: host, client: client, alert: "unknown_ca", passesThrough: passes)
    }

    private static let curl = ClientFacts(process: "curl", processID: 30010, address: "127.0.0.1:40000")

    @Test func processIsPassedThroughAndAnOptionDoesItForAll() {
        let lines = teller.lines(for: Self.rejection(Self.curl))
        #expect(
            lines.first
                == .warning(
                    "curl does not trust the recorder's certificate for idp.example:443 (unknown_ca): "
                        + "this process (curl, 30010) is passed through from its next connection on"
                )
        )
        guard case .note(let last)? = lines.last else { return #expect(Bool(false), "\(lines)") }
        #expect(last.hasSuffix(" record --pass-through idp.example"))
    }

    @Test func clientWithoutAProcessIsItsAddress() {
        let client = ClientFacts(address: "[fe80::1]:40000")
        let lines = teller.lines(for: Self.rejection(client, "[::1]:8443"))
        guard case .warning(let first)? = lines.first, case .note(let last)? = lines.last else {
            return #expect(Bool(false), "\(lines)")
        }
        #expect(first.hasSuffix(": fe80::1 is passed through from its next connection on"))
        #expect(last.hasSuffix(" record --pass-through ::1"))
    }

    @Test func whatIsNotPassedThroughIsNotSaidToBe() {
        let lines = teller.lines(for: Self.rejection(Self.curl, passes: false))
        #expect(lines.count == 2 && !"\(lines)".contains("pass"))
    }

    /// Whether it refused the certificate nobody knows.
    @Test func clientThatWentBehindItsHandshakeIsToldOnceWithBothMeanings() throws {
        var wget = ClientFacts(process: "wget", processID: 7, address: "127.0.0.1:40000")
        let notice = ProxyNotice.clientLeftBehindHandshake(host: "idp.example:443", client: wget)
        let trust = ClientTrust(certificatePath: "/run/ca.pem", trustCommand: nil)
        let teller = NoticeTeller(repeats: false, trust: trust)
        let lines = teller.lines(for: notice)
        #expect(
            lines.first
                == .warning(
                    "wget went right behind its TLS handshake for idp.example:443, without a request: it does not trust the "
                        + "recorder's certificate, or had no use for the connection"
                )
        )
        #expect(lines.dropFirst().first == .note("to record it, start it with --ca-certificate=/run/ca.pem"))
        let hint = try #require(lines.last)
        #expect("\(hint)".contains(" record --pass-through idp.example\""))
        wget.processID = 8
        #expect(teller.isFirst(notice))
        #expect(!teller.isFirst(.clientLeftBehindHandshake(host: "idp.example:443", client: wget)))
    }

    static let advice: [(process: String, words: String)] = [
        ("node", "start it with NODE_EXTRA_CA_CERTS='/a b/ca.pem'"),
        ("MainThread", "start it with NODE_EXTRA_CA_CERTS='/a b/ca.pem'"),
        ("python3.11", "start it with SSL_CERT_FILE='/a b/ca.pem' REQUESTS_CA_BUNDLE='/a b/ca.pem'"),
        ("curl", "start it with CURL_CA_BUNDLE='/a b/ca.pem'"),
        ("wget", "start it with --ca-certificate='/a b/ca.pem'"),
        ("git-remote-http", "start it with GIT_SSL_CAINFO='/a b/ca.pem'"),
        ("php", "start it with -d curl.cainfo='/a b/ca.pem' -d openssl.cafile='/a b/ca.pem'"),
        ("java", "run \(Invocation.name) ca trust --ca-dir '/a b' --store java"),
        (
            "chromium",
            "run \(Invocation.name) ca trust --ca-dir '/a b' --store nss (or --browser, which starts one that trusts it)"
        ),
        ("php-fpm8.2", "let it trust /a b/ca.pem by its own settings"),
        ("my-app", "let it trust /a b/ca.pem by its own settings"),
        ("", "let it trust /a b/ca.pem by its own settings"),
    ]

    @Test(arguments: advice.indices)
    func programIsToldByItsOwnSetting(_ index: Int) {
        let row = Self.advice[index]
        let trust = ClientTrust(
            certificatePath: "/a b/ca.pem",
            trustCommand: ["ca", "trust", "--ca-dir", "/a b"]
        )
        let client = ClientFacts(process: row.process, processID: 7, address: "127.0.0.1:40000")
        let rejection = Self.rejection(client, passes: false)
        let lines = NoticeTeller(repeats: false, trust: trust).lines(for: rejection)
        #expect(lines.last == .note("to record it, \(row.words)"))
        // What was started with those settings has a trust of its own.
        let started = NoticeTeller(repeats: false, trust: trust, isStarted: { $0 == 7 })
        #expect(
            started.lines(for: rejection).last
                == .note("to record it, let it trust /a b/ca.pem by its own settings")
        )
    }

    /// What is made for one recording is in no store.
    @Test func authorityOfOneRecordingIsNotPutIntoStores() {
        let trust = ClientTrust(certificatePath: "/run/ca.pem", trustCommand: nil)
        #expect(trust.advice(for: "java") == nil && trust.advice(for: "firefox") == nil)
        #expect(trust.advice(for: "node") == "start it with NODE_EXTRA_CA_CERTS=/run/ca.pem")
    }

    /// It may be the client that began it.
    @Test func whatIsNotHTTPIsLaidToNeitherSide() {
        let lines = teller.lines(for: .notHTTP(host: "idp.example:443"))
        #expect(
            lines == [.note("what is said on a connection to idp.example:443 is not HTTP: passed on unread")]
        )
    }

    /// What an option of ours cannot change is not said to be changed by it.
    @Test func limitOfTheSystemIsToldAsSuch() {
        let notice = ProxyNotice.tooManyConnections(limit: 96)
        #expect("\(teller.lines(for: notice))".contains("--max-connections allows more"))
        let limited = NoticeTeller(repeats: false, isLimitedBySystem: true)
        #expect("\(limited.lines(for: notice))".contains("ulimit -n"))
    }

    @Test func wantOfDescriptorsIsRememberedForTheEnd() {
        #expect(!teller.hasRunOutOfDescriptors)
        #expect(teller.isFirst(.outOfDescriptors) && teller.hasRunOutOfDescriptors)
        for number in 0...4096 { _ = teller.isFirst(.outsideScope(host: "\(number).example")) }
        #expect(teller.hasRunOutOfDescriptors)
    }

    @Test func eachDeviceIsToldOfOnceForEachHost() {
        for phone in ["192.168.1.23", "192.168.1.24", "[fe80::1]"] {
            #expect(teller.isFirst(Self.rejection(ClientFacts(address: "\(phone):40000"))), "\(phone)")
            #expect(!teller.isFirst(Self.rejection(ClientFacts(address: "\(phone):40001"))), "\(phone)")
        }
    }

    @Test func whoIsAskedForAPasswordIsToldOfOnce() {
        let asked = { (address: String) in ProxyNotice.askedForPassword(client: ClientFacts(address: address))
        }
        #expect(teller.isFirst(asked("192.168.1.23:40000")) && teller.isFirst(asked("192.168.1.24:40000")))
        #expect(!teller.isFirst(asked("192.168.1.23:40001")))
        let lines = teller.lines(for: asked("192.168.1.23:40000"))
        guard case .note(let words)? = lines.first else { return #expect(Bool(false), "\(lines)") }
        #expect(lines.count == 1 && words.hasPrefix("192.168.1.23 is asked for the user name and password"))
    }

    @Test(arguments: [
        (431, "the request head is longer than 65536 bytes", " record --max-head 1M", false),
        (431, "the request head is longer than 65536 bytes", " record --max-head 1M", true),
        (400, "x", "address", false), (400, "x", "which is in the capture", true),
    ])
    func requestThatIsRefusedIsToldWithWhatHelps(
        status: Int,
        reason: String,
        help: String,
        isRecorded: Bool
    ) {
        let refused = ProxyNotice.requestRefused(
            status: status,
            reason: reason,
            client: Self.curl,
            isRecorded: isRecorded
        )
        let lines = teller.lines(for: refused)
        let what = isRecorded ? "by the recorder" : "and not recorded"
        #expect(lines.first == .warning("a request of curl is answered \(status) \(what): \(reason)"))
        guard case .note(let last)? = lines.last else { return #expect(Bool(false), "\(lines)") }
        #expect(last.hasSuffix(help))
        #expect(teller.isFirst(refused) && !teller.isFirst(refused))
    }

    @Test func programIsToldOfOnceForEachHost() {
        var again = Self.curl
        again.processID = 30011
        again.address = "127.0.0.1:40001"
        #expect(teller.isFirst(Self.rejection(Self.curl)))
        #expect(!teller.isFirst(Self.rejection(again)))
        #expect(teller.isFirst(Self.rejection(again, "api.example:443")))
        again.process = "python3"
        #expect(teller.isFirst(Self.rejection(again)))
    }

    @Test func failureComesWithWhatHelps() {
        let lines = teller.lines(
            for: .upstreamFailed(host: "idp.example:443", reason: "no", hint: "To trust it: this")
        )
        #expect(
            lines == [.warning("no connection to idp.example:443: no"), .note("to trust it: this")]
        )
        #expect(
            teller.lines(for: .upstreamFailed(host: "a:1", reason: "no", hint: nil)).count == 1
        )
    }
}
