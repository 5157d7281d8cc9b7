import Captures
import Flows
import JSON
import OAuth

extension Flow {
    /// Whether the login is for a server of the Model Context Protocol: one that described itself refused a message of that protocol.
    var isOfMCP: Bool {
        resourceMetadata.contains { document in
            guard document.isUsable else { return false }
            let resource = RecordedURL(document.answer.json?["resource"]?.string ?? document.askedResource)
            let origins = Set([resource.origin, document.url.origin].compactMap { $0 })
            return origins.contains { origin in
                surroundings.challenges(of: origin).contains { challenge in
                    let request = capture[challenge.exchange].request
                    return request.headers.contains("mcp-protocol-version")
                        || request.body?.text?.containsBytes("\"jsonrpc\"") ?? false
                }
            }
        }
    }
}
