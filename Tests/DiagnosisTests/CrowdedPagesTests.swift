import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import Testing

/// Logins on pages with hundreds of pictures: whatever a rule looks for, it is as far away in time as ever.
struct CrowdedPagesTests {
    /// So many pictures of another site behind each exchange, within the time to the next one.
    private func crowded(_ recording: Recording, _ count: Int) -> Recording {
        let all = recording.exchanges
        var crowded: [Exchange] = []
        for (place, exchange) in all.enumerated() {
            crowded.append(exchange)
            guard place + 1 < all.count else { break }
            let gap = all[place + 1].startedAt - exchange.endedAt
            guard gap > .milliseconds(1) else { continue }
            for number in 0..<count {
                var picture = exchange
                picture.startedAt = exchange.endedAt + gap * (number + 1) / (count + 2)
                picture.duration = .microseconds(20)
                picture.request = RecordedRequest(
                    method: "GET",
                    url: RecordedURL("https://pictures.example/\(place)/\(number).png")
                )
                picture.request.headers.append("User-Agent", "Mozilla/5.0")
                picture.response = RecordedResponse(status: 200)
                picture.response?.body = Body(text: "", mediaType: "image/png")
                picture.failure = nil
                crowded.append(picture)
            }
        }
        return Recording(crowded)
    }

    @Test(arguments: [
        "user-agent/silent-login-cookies-blocked", "user-agent/state-cookie-lost",
        "logout-and-device/logout-local-only", "logout-and-device/logout-parameter-wrong",
        "user-agent/session-cookie-not-persistent", "user-agent/provider-session-cookie-missing",
    ])
    func verdictIsTheSame(capture: String) throws {
        func verdict(_ recording: Recording) -> [String] {
            recording.diagnoses.flatMap { diagnosis in
                ["\(diagnosis.outcome)"]
                    + diagnosis.findings.map { "\($0.rule) \($0.severity) \($0.isPrimary)" }
            }
        }
        let recording = try Recording(capture)
        #expect(verdict(crowded(recording, 250)) == verdict(recording))
    }
}
