@testable import Captures
import Testing

/// Files that are no capture: what they are is said, and what to do instead.
struct NoCaptureTests {
    // Its type is written down: with it left to be found out, the literal takes the compiler ten seconds.
    private static let otherFiles: [(bytes: [UInt8], what: String)] = [
        ([0x89, 0x50, 0x4e, 0x47, 13, 10], "a PNG image"),
        (Array("snoop\0\0\0\0\0\0\u{2}".utf8), "a packet capture of Solaris' snoop"),
        (Array("GMBU\0\u{2}".utf8), "a packet capture of Microsoft's Network Monitor"),
        (Array("ObserverPktBufferVersion=15.00".utf8), "a packet capture of Observer"),
        (Array("TR\0d\0\0".utf8), "a packet capture of HP-UX' nettl"),
        (Array("\u{7f}ver\0".utf8), "a packet capture of OmniPeek"),
        ([0xaa, 0xaa, 0xaa, 0xaa, 8, 0], "a packet capture of 5Views"),
        (Array("iptrace 2.0\0\0".utf8), "a packet capture of AIX' iptrace"),
        ([5, 0x56, 0x4e, 0x46, 0x1c, 0], "a packet capture of Visual Networks"),
        ([0x01, 0x10, 0x4c, 0, 0x01, 0x05], "a packet capture of LANalyzer"),
        (Array("<!DOCTYPE html><p>".utf8), "an HTML page"),
        (Array("<p:root xmlns:p=\"urn:a\"/>".utf8), "an XML document"),
        ([0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0], "a packet capture"),
        (Array("%PDF-1.7".utf8), "a PDF document"), ([4, 0x22, 0x4d, 0x18, 0x64, 0x40], "LZ4 data"),
        (Array("# made by x\nCLIENT_RANDOM 00ff 11AA\n".utf8), "a TLS key log"),
        (Array("SERVER_TRAFFIC_SECRET_0 00ff 11aa\r\nx".utf8), "a TLS key log"),
        (Array("00:00:01.5 IP 1.2.3.4.5 > 5.6.7.8.80: Flags [P.]".utf8), "what tcpdump prints"),
        (Array("2026-11-21 00:00:01.5 IP6 ::1.5 > ::1.80: Flags".utf8), "what tcpdump prints"),
        (Array(#"{"info":{},"item":[]}"#.utf8), "a Postman collection"),
        (Array(#"{"openapi":"3.0","paths":{}}"#.utf8), "an OpenAPI description"),
        (Array(#"{"a":1,"b":2}"#.utf8), "JSON, but no HAR"),
        (Array("<items burpVersion=\"2\">".utf8), "items of Burp's"),
        (Array("<log/>".utf8), "an XML document"), ([0xa1, 0xb2, 0xcd, 0x34], "a packet capture"),
    ]

    @Test(arguments: otherFiles) func whatIsNoCaptureIsNamed(bytes: [UInt8], what: String) throws {
        let error = try #require(throws: CaptureError.self) {
            try CaptureReader.read(bytes: bytes, name: "x")
        }
        guard case .notCapture(_, let looksLike, let advice) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(looksLike.hasPrefix(what) && !advice.isEmpty, "\(looksLike)")
    }

    private static let saved: [(bytes: [UInt8], what: String, advice: String)] = [
        (
            [0xac, 0xed, 0, 5, 0x73, 0x72, 0, 0x1c] + Array("com.xk72.charles.model.Session".utf8),
            "a Charles session", "in Charles: File, Export Session"
        ), ([0xac, 0xed, 0, 5, 0x74, 0], "serialized objects of Java", "a HAR file"),
        (
            [0, 0, 1, 0, 0x90, 0, 0, 0] + [UInt8](repeating: 0, count: 64) + Array("{".utf8),
            "an event trace of Windows", "etl2pcapng FILE"
        ), (Array("bplist00\u{1}".utf8), "a binary property list", "a HAR file"),
        (
            Array("<?xml version=\"1.0\"?>\n<pdml version=\"0\">".utf8), "what tshark prints of packets",
            "authreel import FILE.pcapng"
        ),
        (
            Array(#"[{"_index":"packets","_type":"doc","_source":{"layers":{}}}]"#.utf8),
            "what tshark prints of packets", "authreel import"
        ),
        (
            Array(#"{"collection":{"info":{}},"run":{"executions":[]}}"#.utf8), "a report of Newman's",
            "-- newman run"
        ), (Array("SQLite format 3\0".utf8), "an SQLite database", "in the app, Share"),
        (
            Array(#"{"fileVersion":"0.9.99","flipperReleaseRevision":"a","clients":[]}"#.utf8),
            "an export of Flipper's", "authreel record"
        ), (Array(#"{"__meta__":{"httpie":"3.2.2"},"cookies":[]}"#.utf8), "a session of HTTPie's", "-- http"),
        (Array(#"{"http_interactions":[],"recorded_with":"VCR"}"#.utf8), "a cassette of VCR", "-- COMMAND"),
        (
            Array(#"[{"actor":{},"eventType":"user.session.start","published":"2026-03-04"}]"#.utf8),
            "Okta's System Log", "a HAR"
        ), (Array(#"[{"date":"2026-03-04","type":"f","client_id":"a"}]"#.utf8), "a log of Auth0's", "a HAR"),
        (
            Array(#"[{"id":"1","createdDateTime":"2026-03-04","userPrincipalName":"a@b"}]"#.utf8),
            "Entra's sign-in log", "a HAR"
        ),
        (
            Array("<?xml version=\"1.0\"?><log><version>1.1</version><creator><name>x</name></creator>".utf8),
            "a network log of Internet Explorer's", "a HAR file"
        ),
    ]

    @Test(arguments: saved.indices) func formOfAProgramsOwnHasItsWayOut(row: Int) throws {
        let (bytes, what, advice) = Self.saved[row]
        let error = try #require(throws: CaptureError.self) {
            try CaptureReader.read(bytes: bytes, name: "x")
        }
        guard case .notCapture(_, let looksLike, let told) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(looksLike.hasPrefix(what) && told.contains(advice), "\(looksLike): \(told)")
    }

    private static let known: [(text: String, what: String)] = [
        ("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UifQ.c2ln\n", "a token"),
        (
            "* Trying 127.0.0.1:443...\n> GET /a?b HTTP/1.1\n> Host: a\n>\n",
            "what curl -v prints"
        ),
        ("< HTTP/2 200\r\n", "what curl -v prints"),
        (
            #"10.0.0.1 - ada [27/Nov/2026:18:00:00 +0000] "GET /a?b HTTP/1.1" 302 0 "-" "x""#,
            "a web server's access log"
        ),
        (
            #"Nov 27 18:00:00 lb haproxy[1438]: 10.0.0.1:3331 [27/Nov/2026:18:00:00.655] in op/a 1/0/3/6/10 302 27 - - ---- 1/1/1/1/0 0/0 "GET /a?b HTTP/1.1""#,
            "a web server's access log"
        ),
        (
            "== Info: Connected\n=> Send header, 9 bytes (0x9)\n0000: GET / HTTP/1.1\n",
            "what curl --trace writes"
        ), ("WARC/1.0\r\nWARC-Type: warcinfo\r\n", "an archive of pages (WARC)"),
        ("==== 1 ==========\nGET https://a.example/ HTTP/1.1\n\n{}", "messages of ZAP's"),
        (
            #"{"title":"login","steps":[{"type":"navigate","url":"https://a.example/"}]}"#,
            "a recording of DevTools' recorder"
        ), (#"{"resourceSpans":[{"scopeSpans":[]}]}"#, "traces of OpenTelemetry"),
        ("curl 'https://a.example/token' \\\n --data-raw 'a=b'\n", "a request that was copied"),
        ("fetch(\"https://a.example/token\", {\n  \"method\": \"POST\"\n});", "a request that was copied"),
        ("POST /token HTTP/1.1\r\nHost: a.example\r\n\r\na=b", "an HTTP message"),
        ("HTTP/1.1 400 Bad Request\r\n\r\n{\"error\":\"invalid_grant\"}", "an HTTP message"),
        ("### token\nPOST https://a.example/token\n\na=b\n", "an HTTP message"),
        ("---\nhttp_interactions:\n- request:\n    method: post\n", "a cassette of VCR"),
        ("interactions:\n- request:\n    body: '{}'\n", "a cassette of VCR"),
        ("<?xml version=\"1.0\"?>\n<testResults version=\"1.2\">\n", "results of JMeter's"),
        ("timeStamp,elapsed,label,responseCode\n1774430120000,41,Token,401\n", "results of JMeter's"),
        (#"{"type":"Metric","data":{},"metric":"http_reqs"}"#, "results of k6's"),
        (#"[{"timestamp":"x","httpRequest":{},"httpResponse":{}}]"#, "what MockServer was asked"),
        (#"{"insertId":"x","httpRequest":{"status":401}}"#, "JSON, but no HAR: an object with \"insertId\""),
        (
            #"{"index":{"_index":"packets-2026-11-30"}}"# + "\n" + #"{"timestamp":"1","layers":{}}"#,
            "lines for Elasticsearch"
        ), (#"{"index":5}"#, "JSON, but no HAR: an object with \"index\""),
        (#"{"keys":[]}"#, "a key set"), (#"{"keys":5}"#, "JSON, but no HAR: an object with \"keys\""),
        ("    1 0.000000 10.0.0.1 → 10.0.0.2 TCP 74 1024 → 443 [SYN]\n", "what Wireshark prints of packets"),
        ("1 2026-11-30 02:56:10.1 10.0.0.1 -> 10.0.0.2 TCP 74\n", "what Wireshark prints of packets"),
        (
            "No.     Time      Source   Destination   Protocol Length Info\n",
            "what Wireshark prints of packets"
        ),
        (
            #""No.","Time","Source","Destination","Protocol","Length","Info""#,
            "what Wireshark prints of packets"
        ),
        (
            "Frame 1: 74 bytes on wire (592 bits)\n    Encapsulation type\n",
            "what Wireshark prints of packets"
        ),
        (
            "\n==========\nFollow: tcp,raw\nFilter: tcp.stream eq 0\n16030\n",
            "what Wireshark prints of packets"
        ),
        ("0000  02 00 00 00 00 05 02 00   ........\n0008  08 00\n", "a hex dump"),
        (String(repeating: "\0", count: 9000), "nothing but zeros"),
        (
            #"{"id":"x","name":"a","collection_id":"b","folder_id":0,"environment_id":"0","results":[]}"#,
            "a run that Postman exported"
        ),
        (
            "From: <Saved by Blink>\nSnapshot-Content-Location: https://a.example/\nMIME-Version: 1.0\n\n<p>",
            "a page that was saved"
        ),
        (
            "2026-03-04 10:54:08,356 WARN [org.keycloak.events] (x) type=\"LOGIN_ERROR\", realmId=\"{x}\"\n",
            "a log of Keycloak's"
        ),
    ]

    @Test(arguments: known.indices) func textThatIsKnownIsNamed(row: Int) throws {
        let (text, what) = Self.known[row]
        let error = try #require(throws: CaptureError.self) {
            try CaptureReader.read(bytes: Array(text.utf8), name: "x")
        }
        #expect("\(error)".contains("this looks like \(what)"), "\(error)")
    }

    @Test(arguments: [
        ("-----BEGIN PRIVATE KEY-----\nMIIEvQ", "a private key"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", "a private key"),
        ("-----BEGIN CERTIFICATE-----\nMIIB", "a certificate"),
        ("login/" + String(repeating: "\0", count: 251) + "ustar\0", "a tar archive"),
        (
            "sysdiagnose_2026.03.04/" + String(repeating: "\0", count: 234) + "ustar\0",
            "a sysdiagnose of an Apple device"
        ),
        (
            "10:54:08 App[42] CFNetwork Diagnostics [3:45] 10:54:08.123 {\n  Protocol Enqueue: x\n} [3:45]\n",
            "what CFNetwork logs"
        ),
        ("Tue 10:00 the login failed\n", "plain text"),
    ]) func textThatIsNoCaptureIsNamed(text: String, what: String) throws {
        let error = try #require(throws: CaptureError.self) {
            try CaptureReader.read(bytes: Array(text.utf8), name: "x")
        }
        #expect("\(error)".contains("this looks like \(what)"), "\(error)")
    }
}
