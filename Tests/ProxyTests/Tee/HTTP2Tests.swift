import Captures
import Foundation
import Proxy
import TestSupport
import Testing

/// HTTP/2 through the recorder, with curl at one end and NIO's server at the other.
struct HTTP2Tests {
    @Test func whatIsAgreedWithTheProviderIsAgreedWithTheClient() async throws {
        let origin = try await HTTP2Origin(tls: ProxyRig.originTLS())
        let rig = try await ProxyRig()
        let url = "https://localhost:\(origin.port)"
        let output = try await rig.curl(
            "--http2",
            "-w",
            "%{http_version}",
            "-b",
            "c=3; d=4",
            "-d",
            "x=1",
            "\(url)/token"
        )
        #expect(output.text == "POST /token c=3; d=4\nx=12")
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.request.url.text == "\(url)/token")
        #expect(exchange.request.httpVersion == "HTTP/2")
        #expect(exchange.request.body?.text == "x=1")
        #expect(exchange.response?.body?.text == "POST /token c=3; d=4\nx=1")
        #expect(exchange.response?.headers.all("set-cookie") == ["a=1", "b=2"])
        #expect(exchange.connection.alpn == "h2")
        #expect(exchange.malformations.isEmpty)
        await rig.stop()
        try await origin.stop()
    }

    @Test func manyRequestsAtATimeAreSoManyExchanges() async throws {
        let origin = try await HTTP2Origin(tls: ProxyRig.originTLS())
        let rig = try await ProxyRig()
        let url = "https://localhost:\(origin.port)"
        let folder = try TemporaryFolder()
        let arguments = (0..<40).flatMap {
            ["-o", folder.file("\($0)"), "\(url)/\($0 % 10 == 0 ? "long" : "p\($0)")"]
        }
        let output = try await rig.curl(
            ["--http2", "--parallel", "--parallel-max", "20", "--parallel-immediate"] + arguments
        )
        #expect(output.status == 0, "\(output.error)")
        let exchanges = try await rig.exchanges(atLeast: 40)
        #expect(exchanges.count == 40)
        #expect(exchanges.allSatisfy { $0.failure == nil && $0.malformations.isEmpty })
        for (number, path) in (0..<40).map({ ($0, $0 % 10 == 0 ? "long" : "p\($0)") }) {
            let received = try String(contentsOfFile: folder.file("\(number)"), encoding: .utf8)
            #expect(
                exchanges.contains {
                    $0.request.url.path == "/\(path)" && $0.response?.body?.text == received
                }
            )
        }
        await rig.stop()
        try await origin.stop()
    }

    /// What curl says of an upload to `/early` in two pieces.
    ///
    /// - Parameters:
    ///   - rig: the recorder.
    ///   - origin: where to.
    ///   - pause: between the pieces, in seconds.
    ///   - source: `-` to send all that comes, `.` to look at the answer meanwhile.
    ///   - format: of what curl says.
    /// - Returns: its output.
    /// - Throws: where it cannot be started.
    private func upload(
        _ rig: ProxyRig,
        _ origin: HTTP2Origin,
        pause: String,
        from source: String,
        _ format: String
    ) async throws -> ProxyRig.Output {
        let script = "(printf code=; sleep \(pause); printf abc) | curl \"$@\""
        let ways = [
            "--proxy", "http://127.0.0.1:\(rig.port)", "--noproxy", "", "--cacert", rig.authorityFile,
        ]
        let request = ["-X", "POST", "-T", source, "-H", "Expect:", "https://localhost:\(origin.port)/early"]
        return try await ProxyRig.run(
            ["/bin/sh", "-c", script, "sh", "-sS", "--max-time", "20", "--http2", "-w", format] + ways
                + request
        )
    }

    /// The client sends no more of it once it has the answer.
    @Test(.timeLimit(.minutes(1))) func requestThatIsAnsweredEarlyIsWholeInTheCapture() async throws {
        let origin = try await HTTP2Origin(tls: ProxyRig.originTLS())
        let rig = try await ProxyRig(adjust: { $0.limits.earlyAnswerTime = .seconds(60) })
        let output = try await upload(rig, origin, pause: "0.3", from: "-", "%{http_code} %{size_upload}")
        #expect(output.text == "401 8", "\(output.error)")
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.response?.status == 401 && exchange.failure == nil)
        #expect(exchange.request.body?.text == "code=abc")
        #expect(exchange.request.body?.isTruncated == false)
        await rig.stop()
        try await origin.stop()
    }

    /// It sends the rest much later.
    @Test(.timeLimit(.minutes(1))) func answerIsNotKeptFromAClientForLong() async throws {
        let origin = try await HTTP2Origin(tls: ProxyRig.originTLS())
        // Long enough for what it has sent already, wherever little time is given to it.
        let rig = try await ProxyRig(adjust: { $0.limits.earlyAnswerTime = .milliseconds(500) })
        let format = "%{http_code} %{time_starttransfer}"
        let output = try await upload(rig, origin, pause: "6", from: ".", format)
        let words = output.text.split(separator: " ")
        #expect(words.first == "401", "\(output.error)")
        #expect(words.last.flatMap { Double($0) } ?? 9 < 5)
        let body = try #require(try await rig.exchanges(atLeast: 1).first?.request.body)
        #expect(body.text == "code=" && body.isTruncated)
        await rig.stop()
        try await origin.stop()
    }

    @Test func trailersPass() async throws {
        let origin = try await HTTP2Origin(tls: ProxyRig.originTLS())
        let rig = try await ProxyRig()
        let output = try await rig.curl("--http2", "-i", "https://localhost:\(origin.port)/trailers")
        #expect(output.text.contains("x-sum: 1"))
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.response?.trailers.first("x-sum") == "1")
        await rig.stop()
        try await origin.stop()
    }

    /// Prior knowledge, inside a tunnel without TLS.
    @Test func aClientThatKnowsBeforehandIsRead() async throws {
        let origin = try await HTTP2Origin(tls: nil)
        let rig = try await ProxyRig()
        let output = try await rig.curl(
            "--http2-prior-knowledge",
            "--proxytunnel",
            "-d",
            "x=1",
            "http://localhost:\(origin.port)/a"
        )
        #expect(output.text == "POST /a\nx=1")
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.request.url.text == "http://localhost:\(origin.port)/a")
        #expect(exchange.request.httpVersion == "HTTP/2")
        await rig.stop()
        try await origin.stop()
    }

    @Test func aClientThatGivesUpIsAnEntry() async throws {
        let origin = try await HTTP2Origin(tls: ProxyRig.originTLS())
        let rig = try await ProxyRig()
        let output = try await rig.curl(
            "--http2",
            "--max-time",
            "2",
            "https://localhost:\(origin.port)/never"
        )
        #expect(output.status == 28)
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.request.url.path == "/never")
        #expect(exchange.response == nil)
        #expect(exchange.failure == "the client closed the connection before the answer was complete")
        await rig.stop()
        try await origin.stop()
    }

    @Test func aClientAndAProviderWithoutACommonProtocolDoNotMeet() async throws {
        let origin = try await HTTP2Origin(tls: ProxyRig.originTLS())
        let rig = try await ProxyRig()
        let output = try await rig.curl("--http1.1", "-i", "https://localhost:\(origin.port)/a")
        #expect(output.text.contains("\r\n\r\nHTTP/1.1 502 "))
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.response == nil)
        #expect(exchange.failure?.contains("it sent alert no_application_protocol") == true)
        await rig.stop()
        try await origin.stop()
    }
}
