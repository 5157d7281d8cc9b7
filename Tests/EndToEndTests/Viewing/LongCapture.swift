import Foundation
import OAuth

/// Logins of a public client one after the other, five exchanges each, as a monitor records them.
enum LongCapture {
    /// Writes a capture of so many exchanges; `count` is a multiple of five.
    static func write(exchanges count: Int, to file: String) throws {
        let entries = (0..<count / 5).flatMap(login).joined(separator: ",\n")
        let text =
            "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"test\",\"version\":\"1\"},\"entries\":[\n\(entries)\n]}}"
        try Data(text.utf8).write(to: URL(filePath: file), options: .atomic)
    }

    private static func login(_ number: Int) -> [String] {
        let callback = "https://app.example/callback"
        let escaped = "https%3A%2F%2Fapp.example%2Fcallback"
        let verifier = random(number, 4) + random(number, 5)
        let (state, code, token) = (random(number, 1), random(number, 2), random(number, 3))
        let start =
            "https://idp.example/authorize?response_type=code&client_id=shop&redirect_uri=\(escaped)&scope=profile&state=\(state)"
            + "&code_challenge=\(CodeChallenge.s256(of: verifier))&code_challenge_method=S256"
        let back = "\(callback)?code=\(code)&state=\(state)"
        let form =
            "grant_type=authorization_code&code=\(code)&redirect_uri=\(escaped)&client_id=shop"
            + "&code_verifier=\(verifier)"
        let answer =
            "{\\\"access_token\\\":\\\"\(token)\\\",\\\"token_type\\\":\\\"Bearer\\\",\\\"expires_in\\\":3600}"
        let second = 20 * number
        return [
            entry(second, "GET", start, status: 302, location: back),
            entry(second + 1, "GET", back, status: 200),
            entry(second + 2, "POST", "https://idp.example/token", form: form, status: 200, answer: answer),
            entry(
                second + 3,
                "GET",
                "https://idp.example/userinfo",
                bearer: token,
                status: 200,
                answer: "{\\\"sub\\\":\\\"u\\\"}"
            ),
            entry(second + 4, "GET", "https://app.example/logo.png", status: 200),
        ]
    }

    /// Text that looks random, and is the same at each run.
    private static func random(_ number: Int, _ salt: UInt64) -> String {
        var state = UInt64(number) &* 0x9e37_79b9_7f4a_7c15 &+ salt
        return (0..<3).map { _ in
            state = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
            state ^= state >> 27
            return String(state, radix: 36)
        }.joined()
    }

    private static func entry(
        _ second: Int,
        _ method: String,
        _ url: String,
        form: String? = nil,
        bearer: String? = nil,
        status: Int,
        location: String? = nil,
        answer: String? = nil
    ) -> String {
        let time = Date(timeIntervalSince1970: 1_773_000_000 + Double(second)).ISO8601Format().dropLast()
        func header(_ name: String, _ value: String?) -> String? {
            value.map { "{\"name\":\"\(name)\",\"value\":\"\($0)\"}" }
        }
        let sent = [
            header("User-Agent", "Mozilla/5.0"), header("Authorization", bearer.map { "Bearer \($0)" }),
        ]
        let body = form.map {
            ",\"postData\":{\"mimeType\":\"application/x-www-form-urlencoded\",\"text\":\"\($0)\"}"
        }
        let content = answer.map {
            "\"mimeType\":\"application/json\",\"text\":\"\($0)\",\"size\":\($0.utf8.count)"
        }
        return
            "{\"startedDateTime\":\"\(time).000Z\",\"time\":40,\"request\":{\"method\":\"\(method)\",\"url\":\"\(url)\",\"httpVersion\":\"HTTP/1.1\",\"headers\":[\(sent.compactMap(\.self).joined(separator: ","))],\"queryString\":[],\"cookies\":[],\"headersSize\":-1,\"bodySize\":-1\(body ?? "")},"
            + "\"response\":{\"status\":\(status),\"statusText\":\"\",\"httpVersion\":\"HTTP/1.1\",\"headers\":[\(header("Location", location) ?? "")],\"cookies\":[],\"redirectURL\":\"\",\"headersSize\":-1,\"bodySize\":-1,\"content\":{\(content ?? "\"mimeType\":\"text/html\",\"text\":\"\",\"size\":0")}},\"cache\":{},\"timings\":{\"send\":0,\"wait\":40,\"receive\":0}}"
    }
}
