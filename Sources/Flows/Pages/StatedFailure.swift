package import Captures
import JSON

/// An answer in JSON that says of itself that the request failed, whatever its status.
package enum StatedFailure {
    /// Whether the answer to an exchange is a refusal: 4xx, 5xx, a success in name, or a redirect that names an error.
    package static func isRefusal(_ exchange: Exchange) -> Bool {
        guard let response = exchange.response else { return false }
        if response.status >= 400 || response.isSuccessful && isOne(response.body) {
            return true
        }
        return response.location.flatMap { ErrorRedirect.parameter(of: exchange.request.url.resolving($0)) }
            != nil
    }

    /// Whether a body says so and brings nothing besides: `success` or `ok` that is none, a status of 400 or more or by the name
    /// of one, an error, or a list of them.
    package static func isOne(_ body: Body?) -> Bool {
        guard let object = JSONBody.object(of: body, below: largest),
            object.members.allSatisfy({ accompanying.contains($0.name) || isNothing($0.value) })
        else { return false }
        for name in ["success", "ok", "isSuccess"] {
            guard let value = object[name] else { continue }
            if value.bool == false || value.number?.int == 0 || value.string == "false" { return true }
            if value.bool == true { return false }
        }
        for name in ["status", "statusCode"] {
            guard let status = object[name] else { continue }
            if let number = status.number?.int, (400..<600).contains(number) { return true }
            if let word = status.string?.lowercased(), ["error", "fail", "failed", "failure"].contains(word) {
                return true
            }
        }
        if !(object["errors"]?.array ?? []).isEmpty { return true }
        switch object["error"] {
        case .string(let text)?: return !none.contains(text.asciiLowercased())
        case .object(let error)?:
            return !error.isEmpty && error["code"]?.number?.int != 0
        default: return false
        }
    }

    private static func isNothing(_ value: JSONValue) -> Bool {
        value == .null || value.array?.isEmpty ?? false || value.object?.isEmpty ?? false
            || value.string == ""
    }

    /// What may stand beside an error without being what was asked for.
    private static let accompanying: Set<String> = [
        "success", "ok", "isSuccess", "error", "errors", "error_description", "error_uri", "message", "msg",
        "code", "detail", "details", "statusCode", "status", "timestamp", "path", "requestId", "request_id",
        "traceId", "trace_id", "type", "title", "reason", "instance",
    ]
    /// What stands in an error's place where there is none.
    private static let none: Set<String> = [
        "", "0", "none", "null", "no", "false", "ok", "success", "no error", "no_error",
    ]
    /// In bytes.
    private static let largest = 1 << 16
}
