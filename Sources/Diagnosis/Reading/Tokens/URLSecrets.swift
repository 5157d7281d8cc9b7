import Captures
import Flows
import OAuth

/// Secrets in the queries of a flow's requests and redirects.
enum URLSecrets {
    /// One piece of evidence for each place, the first of each value, at most six.
    static func find(in flow: Flow, named names: Set<String>) -> [Evidence] {
        var evidence: [Evidence] = []
        var seen: Set<String> = []
        func look(_ url: RecordedURL, _ exchange: Int, _ part: Place.Part) {
            guard let query = url.query, names.contains(where: { query.containsBytes("\($0)=") }) else {
                return
            }
            for parameter in Parameters(QueryItems(query), of: exchange, in: part).items
            where names.contains(parameter.name) && parameter.value.utf8.count >= 8 && evidence.count < 6 {
                guard seen.insert(parameter.name + parameter.value).inserted else { continue }
                let target = Masking.shown(url.withoutQuery, of: "url")
                evidence.append(Evidence(parameter, note: "in the query of \(target)"))
            }
        }
        for exchange in flow.exchanges {
            let recorded = flow.capture[exchange]
            look(recorded.request.url, exchange, .requestQuery)
            if let location = recorded.response?.location {
                look(recorded.request.url.resolving(location), exchange, .responseLocation)
            }
        }
        return evidence
    }
}
