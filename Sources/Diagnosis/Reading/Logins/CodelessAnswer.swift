import Captures
import Flows
import OAuth

/// An answer to a login that brings neither a code nor an error (``CodeMissing``): what else it brings is judged like that of any.
struct CodelessAnswer {
    var request: AuthorizationRequest
    /// As they stand in the redirect, without what the redirect URI has in its own query.
    var parameters: Parameters

    /// In order of time.
    static func all(in flow: Flow) -> [CodelessAnswer] {
        guard let violation = flow.violation(of: CodeMissing()) else { return [] }
        let responses = Set(flow.authorizationResponses.compactMap(\.deliveredBy))
        let requests = flow.authorizationRequests
        return violation.evidence.compactMap { evidence in
            guard evidence.place.part == .responseLocation, let exchange = evidence.place.exchange,
                !responses.contains(exchange), let location = flow.capture[exchange].response?.location
            else { return nil }
            let start = flow.capture[exchange].startedAt
            let later = requests.partitionPoint { flow.capture[$0.exchange].startedAt > start }
            guard let request = requests[..<later].last else { return nil }
            let asked = RecordedURL(request.redirectURI ?? "")
            let target = RecordedURL(location)
            // Evidence of a code that was lost on the way names where the app went on, too.
            guard target.normalizedWithoutQuery == asked.normalizedWithoutQuery else { return nil }
            let own = asked.queryItems.items.map(\.name)
            let items = target.queryItems.items.filter { !own.contains($0.name) } + target.fragmentItems.items
            return CodelessAnswer(
                request: request,
                parameters: Parameters(QueryItems(items: items), of: exchange, in: .responseLocation)
            )
        }
    }
}
