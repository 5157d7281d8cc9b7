import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import Testing

/// Of an import each file is asked by itself whether it has cookies.
extension StateCookieLostTests {
    /// What was recorded into an import afterwards says nothing of the files that it was made of.
    @Test(arguments: [nil, "a.har"] as [String?])
    func abstainsWhereOnlyALaterRecordingHasCookies(file: String?) throws {
        var recording = try Recording(broken).editing { exchange in
            exchange.request.headers.remove("Cookie")
            exchange.request.listedCookies = []
            exchange.provenance.seen = [Provenance.Sighting(file: "a.har", entry: 0)]
        }
        var other = recording.exchanges[0]
        other.request.url = RecordedURL("https://api.other.example/health")
        other.request.headers.append("Cookie", "lang=en")
        other.response = RecordedResponse(status: 200)
        other.provenance.seen = file.map { [Provenance.Sighting(file: $0, entry: 1)] } ?? []
        recording.exchanges.append(other)
        #expect((recording.finding(rule) == nil) == (file == nil))
    }

    /// The app's proxy saw the cookie being set, and the browser's export has the callback without any.
    @Test(arguments: [true, false]) func abstainsWhereTheCallbackIsOfAStrippedFile(isStripped: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/login" else { return }
            exchange.request.headers.append("Cookie", "lang=en")
        }.imported { isStripped && $0.request.url.path != "/login" }
        #expect((recording.finding(rule) == nil) == isStripped)
        #expect(recording.abstention(rule)?.contains("stripped") == (isStripped ? true : nil))
        let healthy = try Recording("the-capture/backchannel-not-recorded").editing { exchange in
            guard exchange.request.url.path == "/login" else { return }
            exchange.request.headers.append("Cookie", "lang=en")
        }.imported { $0.request.url.path != "/login" }
        #expect(healthy.outcomes == [.success])
    }
}
