internal import Captures

/// Where the body of a message ends (RFC 9112, section 6.3).
enum MessageFraming: Equatable {
    case none
    case length(Int)
    case chunked
    /// With the connection.
    case untilClose
    /// Two readers could differ: nothing behind this head can be trusted.
    case contradictory(String)

    /// - Returns: the framing, and what of it HTTP does not allow though it can be read.
    static func ofRequest(_ headers: HeaderFields) -> (MessageFraming, problem: String?) {
        let (coded, problem) = coded(headers)
        guard let coded else {
            switch length(headers) {
            case .success(let length): return (length.map { $0 > 0 ? .length($0) : .none } ?? .none, nil)
            case .failure(let reason): return (.contradictory(reason.text), reason.text)
            }
        }
        // A request whose last coding is not chunked has no end that both sides know.
        return coded == .chunked
            ? (.chunked, problem)
            : (.contradictory(TransferCodings.endlessRequest), problem)
    }

    /// `method`: of the request that is answered.
    static func ofResponse(_ status: Int, method: String, _ headers: HeaderFields) -> (
        MessageFraming, problem: String?
    ) {
        if method == "HEAD" || (100..<200).contains(status) || status == 204 || status == 304 {
            return (.none, nil)
        }
        let (coded, problem) = coded(headers)
        if let coded { return (coded, problem) }
        switch length(headers) {
        case .success(let length?): return (length > 0 ? .length(length) : .none, nil)
        case .success(nil): return (.untilClose, nil)
        case .failure(let reason): return (.contradictory(reason.text), reason.text)
        }
    }

    private struct Reason: Error { var text: String }

    private static func coded(_ headers: HeaderFields) -> (MessageFraming?, problem: String?) {
        guard headers.contains("transfer-encoding") else { return (nil, nil) }
        let codings = TransferCodings(headers.all("transfer-encoding").map(\.utf8))
        var problem = headers.contains("content-length") ? "both Transfer-Encoding and Content-Length" : nil
        // RFC 9112, section 6.1; a reader that undoes it twice finds another end.
        if codings.chunkedCount > 1 { problem = problem ?? "chunked more than once in Transfer-Encoding" }
        return (codings.endInChunked ? .chunked : .untilClose, problem)
    }

    private static func plainNumber(_ text: String) -> Int? {
        var value = 0
        for byte in text.utf8 {
            guard byte.isASCIIDigit else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return text.isEmpty ? nil : value
    }

    private static func length(_ headers: HeaderFields) -> Result<Int?, Reason> {
        guard let first = headers.first("content-length") else { return .success(nil) }
        // One, and a plain number: nearly always.
        if first.utf8.count < 16, let length = plainNumber(first), headers.count("content-length") == 1 {
            return .success(length)
        }
        var found: Int?
        for value in headers.all("content-length").flatMap({
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }) {
            let trimmed = value.utf8.drop(while: \.isBlank)
            let digits = trimmed.prefix { !$0.isBlank }
            guard trimmed.dropFirst(digits.count).allSatisfy(\.isBlank),
                !digits.isEmpty, digits.allSatisfy({ $0.isASCIIDigit }),
                let length = Int(String(digits) ?? "")
            else {
                return .failure(Reason(text: "Content-Length is not a number: \(value)"))
            }
            if let found, found != length {
                return .failure(Reason(text: "two Content-Length values that differ: \(found), \(length)"))
            }
            found = length
        }
        return .success(found)
    }
}
