import Captures
import Flows
import OAuth

/// An endpoint of the protocol answered with a body, and the file does not have it.
struct ResponseBodyMissing: Rule {
    static let info = RuleInfo(
        id: "response-body-missing",
        title: "The body of a protocol response was not saved",
        severity: .note,
        explanation: """
            The capture holds the answer of a protocol endpoint without its content. Rules that read tokens, keys, metadata or errors in it \
            cannot decide.
            """,
        fix: """
            Save the capture with content. In the developer tools of a browser, have them open before the login starts, keep the log across \
            pages, and export the file before the tab is closed.
            """,
        badExample: """
            "response":{"status":200,"content":{"size":1843,"mimeType":"application/json"}}
            """,
        goodExample: """
            "response":{"status":200,"content":{"size":1843,"mimeType":"application/json","text":"{\\"access_token\\":…}"}}
            """,
        specifications: [
            SpecificationReference(
                text: "HAR 1.2 content",
                url: "http://www.softwareishard.com/blog/har-12-spec/#content"
            )
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let missing = flow.messages.filter { isJSON($0) }.compactMap { evidence(of: $0.exchange, flow) }
        return missing.isEmpty ? .holds : .violated(Violation(Array(missing.prefix(10))))
    }

    private func isJSON(_ message: OAuthMessage) -> Bool {
        switch message {
        case .token, .userInfo, .discovery, .keySet, .pushedRequest, .registration: true
        case .clientConfiguration(let call): call.method != "DELETE"
        default: false
        }
    }

    private func evidence(of index: Int, _ flow: Flow) -> Evidence? {
        let exchange = flow.capture[index]
        guard exchange.request.method != "HEAD", let response = exchange.response,
            response.isSuccessful || response.isClientError,
            response.status != 204, response.status != 205, response.headers.first("content-length") != "0",
            !(response.body?.isRecorded ?? false), response.body?.size != 0
        else { return nil }
        let size = response.body?.size.map { "\($0) bytes" } ?? "of a size that is not told"
        let type = response.body?.mediaType ?? response.headers.first("content-type")
        return Evidence(
            place: Place(exchange: index, part: .responseBody, name: ""),
            value: [size, type.map { Excerpt.start(of: $0, 80) }].compactMap { $0 }.joined(separator: ", "),
            note: "status \(response.status); not saved"
        )
    }
}
