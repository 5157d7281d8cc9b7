import Captures
import Flows

/// What an exchange says of itself, as evidence, whatever message it is.
extension Flow {
    /// Where a request went, without the query.
    func urlEvidence(of exchange: Int, note: String? = nil) -> Evidence {
        Evidence(
            place: Place(exchange: exchange, part: .requestURL, name: ""),
            value: Masking.shown(capture[exchange].request.url.withoutQuery, of: "url"),
            note: note
        )
    }

    /// The status of the answer; an empty value where none came.
    func statusEvidence(of exchange: Int, note: String? = nil) -> Evidence {
        Evidence(
            place: Place(exchange: exchange, part: .responseStatus, name: ""),
            value: capture[exchange].response.map { "\($0.status)" } ?? "",
            note: note
        )
    }

    /// Where the answer sends the browser, as it is written there; nil where it does not.
    func locationEvidence(of exchange: Int, note: String? = nil) -> Evidence? {
        capture[exchange].response?.location.map {
            Evidence(
                place: Place(exchange: exchange, part: .responseLocation, name: ""),
                value: Masking.shown($0, of: "location"),
                note: note
            )
        }
    }
}
