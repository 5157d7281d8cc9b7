import JSON

@testable import Captures

/// Exchanges as one recorder saw them.
struct Sightings {
    var exchanges: [Exchange] = []
    /// Seconds that its clock is ahead.
    var ahead: Double = 0
    /// How much later it sees a request, and how much earlier the answer: it stands further in.
    var inset: Double = 0

    static let host = "idp.example"

    /// `at`: seconds by the true clock; `length`: seconds, as the client sees them.
    @discardableResult
    mutating func add(
        _ url: String,
        at: Double,
        length: Double = 0.05,
        method: String = "GET",
        headers: [(String, String)] = [],
        form: [(String, String)]? = nil,
        status: Int? = 200,
        answer: [(String, String)] = [],
        body: Body? = nil,
        foreign: JSONObject = JSONObject()
    ) -> Int {
        let text = url.hasPrefix("/") ? "https://\(Self.host)\(url)" : url
        exchanges.append(
            Exchange(
                startedAt: Self.time(at + inset + ahead),
                duration: .nanoseconds(Int64((length - 2 * inset) * 1e9)),
                request: RecordedRequest(
                    method: method,
                    url: RecordedURL(text),
                    headers: HeaderFields(headers),
                    body: form.map { Body(text: FormBody.encode($0), mediaType: FormBody.mediaType) }
                ),
                response: status.map {
                    RecordedResponse(status: $0, headers: HeaderFields(answer), body: body)
                },
                foreign: foreign
            )
        )
        return exchanges.count - 1
    }

    /// A callback with a code and a state of its own.
    @discardableResult
    mutating func callback(_ number: Int, at: Double, length: Double = 0.2) -> Int {
        add(
            "https://app.example/callback?code=code-\(number)-Xy12&state=state-\(number)-Zq34",
            at: at,
            length: length,
            status: 302
        )
    }

    /// Never a whole second: only of clocks that count those every time is one.
    static func time(_ seconds: Double) -> Timestamp {
        Timestamp(seconds: 1_790_000_000) + .nanoseconds(Int64((seconds * 1e9).rounded()) + 1000)
    }

    var capture: Capture { Capture(exchanges) }
}

extension CaptureMerger {
    /// `a`, `b` and so on.
    init(_ sightings: Sightings..., alignsClocks: Bool = false) {
        self.init(
            sightings.enumerated().map { index, file in
                Source(name: String(UnicodeScalar(UInt8(0x61 + index))), capture: file.capture)
            },
            alignsClocks: alignsClocks
        )
    }

    /// `a0+b1` for an exchange that is the first entry of a and the second of b, the base first.
    var story: [String] {
        (0..<count).map { index in
            exchange(at: index).provenance.seen.map { "\($0.file)\($0.entry)" }.joined(separator: "+")
        }
    }

    /// Of the second file.
    var offset: ClockOffset? {
        guard case .known(let offset, _) = report(differing: 0).files[1].clock else { return nil }
        return offset
    }
}
