package import Captures
import JSON

/// What a library was to be told of a call, sent as the call's body: an object with `headers` beside the body proper.
///
/// axios and others take it as the argument after the body (`axios.post(url, body, settings)`).
package enum CallSettings {
    package static func isBody(of request: RecordedRequest) -> Bool {
        PostedParameters.object(in: request).map(isOne) ?? false
    }

    static func isOne(_ object: JSONObject) -> Bool {
        object["headers"]?.object != nil && contents.contains { object[$0] != nil }
            && object["grant_type"] == nil
    }

    private static let contents = ["data", "body", "form", "params", "json"]
}
