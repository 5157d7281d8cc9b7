import Captures
import Foundation
import JSON
import Synchronization

/// A provider whose pages are made by scripts, with what such pages do to those who drive them.
final class ScriptedProvider: Sendable {
    /// What its pages do besides.
    enum Manner: Sendable {
        case plain
        /// Asks for a code that it sent, after the password, and hears of each form that is shown.
        case asksForCode
        /// Loads a script of somebody else's.
        case loadsFromElsewhere
        /// Hands the user to somebody else, who knows who he is.
        case sendsElsewhere
        /// Its script opens the app itself, in place of a redirect.
        case opensAppByScript
    }

    static let recordedOrigin = "https://idp.example"
    static let code = "493817"

    private let manner: Manner
    private let state = Mutex((codes: 0, asked: [String](), sessions: Set<String>()))

    init(_ manner: Manner = .plain) { self.manner = manner }

    /// `METHOD PATH` of the requests so far.
    var asked: [String] { state.withLock { $0.asked } }

    func respond(to request: RecordedRequest) -> RecordedResponse {
        let path = request.url.path
        state.withLock { $0.asked.append("\(request.method) \(path)") }
        switch (request.method, path) {
        case ("GET", "/authorize"): return authorize(request)
        case ("GET", "/app.js"): return answer(Self.script, "text/javascript")
        case ("POST", "/session"): return signIn(request)
        case ("POST", "/token"):
            return answer(#"{"access_token":"\#(fresh("at"))","token_type":"Bearer","expires_in":60}"#)
        default: return RecordedResponse(status: 404)
        }
    }

    // MARK: - Endpoints

    private func authorize(_ request: RecordedRequest) -> RecordedResponse {
        let session = request.cookies.first { $0.name == "sid" }?.value ?? ""
        guard request.url.queryItems.contains("continue"), state.withLock({ $0.sessions.contains(session) })
        else {
            let foreign =
                manner == .loadsFromElsewhere ? #"<script src="https://cdn.example/lib.js"></script>"# : ""
            let page = """
                <!doctype html><html><head><title>Sign in</title>\(foreign)</head>
                <body data-manner="\(manner)"><main id="app"></main><script src="/app.js"></script></body></html>
                """
            return answer(page, "text/html")
        }
        return RecordedResponse(status: 302, headers: HeaderFields([("Location", target(of: request))]))
    }

    /// Where the user is sent, with a code.
    private func target(of request: RecordedRequest) -> String {
        let query = request.url.queryItems
        let state = PercentEncoding.encode(query.first("state") ?? "")
        return "\(query.first("redirect_uri") ?? "")?code=\(fresh("code"))&state=\(state)"
    }

    private func signIn(_ request: RecordedRequest) -> RecordedResponse {
        let entered = try? JSONParser.parse(request.body?.bytes ?? [])
        if entered?["code"]?.string == Self.code { return begin() }
        guard entered?["username"]?.string == "alice", entered?["password"]?.string == "wonderland" else {
            return answer(#"{"error":"wrong"}"#, status: 401)
        }
        return manner == .asksForCode ? answer(#"{"next":"code"}"#) : begin()
    }

    private func begin() -> RecordedResponse {
        let session = fresh("session")
        state.withLock { _ = $0.sessions.insert(session) }
        var response = answer(#"{"next":"app"}"#)
        response.headers.append("Set-Cookie", "sid=\(session); Path=/; HttpOnly")
        return response
    }

    private func fresh(_ name: String) -> String {
        state.withLock { state in
            state.codes += 1
            return "\(name)-\(state.codes)-\(UUID().uuidString.lowercased())"
        }
    }

    private func answer(_ text: String, _ type: String = "application/json", status: Int = 200)
        -> RecordedResponse
    {
        RecordedResponse(
            status: status,
            headers: HeaderFields([("Content-Type", type)]),
            body: Body(text: text, mediaType: type)
        )
    }

    /// Makes the form, and does with what was entered what the provider says.
    private static let script = """
        const manner = document.body.dataset.manner, app = document.getElementById('app');
        const show = (fields, name) => {
          app.innerHTML = '<form>' + fields.map(field => `<input ${field}>`).join('')
            + `<button type="button" id="other">Cancel</button><button disabled>${name}</button></form>`;
          const form = app.firstChild;
          form.querySelector('input').focus();
          if (manner === 'asksForCode') fetch('/shown');
          form.oninput = () => {
            form.lastChild.disabled = [...form.querySelectorAll('input')].some(field => !field.value);
          };
          form.onsubmit = event => { event.preventDefault(); send(Object.fromEntries(new FormData(form))); };
        };
        const send = async entered => {
          const answer = await fetch('/session', {method: 'POST', body: JSON.stringify(entered),
            headers: {'Content-Type': 'application/json'}});
          const {next} = await answer.json();
          if (next === 'code') return show(['name="code" autocomplete="one-time-code"'], 'Verify');
          if (next !== 'app') return show(['name="username"', 'name="password" type="password"'], 'Sign in');
          if (manner === 'sendsElsewhere') location = 'https://elsewhere.example/who?hint=alice';
          else if (manner === 'opensAppByScript') {
            const asked = new URLSearchParams(location.search);
            location = `${asked.get('redirect_uri')}?code=script-made-0001&state=${encodeURIComponent(asked.get('state'))}`;
          } else location = location.pathname + location.search + '&continue=1';
        };
        setTimeout(() => show(['name="username"', 'name="password" type="password"'], 'Sign in'), 300);
        """

    // MARK: - A recording

    /// Asks a provider and takes down what was said.
    private struct Recorder {
        private let provider: ScriptedProvider
        private(set) var exchanges: [Exchange] = []
        private var now = Timestamp(seconds: 1_780_000_000)
        /// The last that was set, which is sent along.
        var cookie: String?

        init(of provider: ScriptedProvider) { self.provider = provider }

        @discardableResult
        mutating func send(
            _ method: String,
            _ path: String,
            _ headers: [(String, String)],
            _ body: Body? = nil
        ) -> RecordedResponse {
            var request = RecordedRequest(
                method: method,
                url: RecordedURL(recordedOrigin + path),
                headers: HeaderFields(headers),
                body: body
            )
            if let type = body?.mediaType { request.headers.append("Content-Type", type) }
            if let cookie { request.headers.append("Cookie", cookie) }
            let response = provider.respond(to: request)
            if let set = response.setCookies.first { cookie = "\(set.name)=\(set.value)" }
            exchanges.append(
                Exchange(startedAt: now, duration: .milliseconds(5), request: request, response: response)
            )
            now = now + .milliseconds(400)
            return response
        }
    }

    /// A login with a provider of that manner, as a recorder would have taken it down.
    static func recordedLogin(_ manner: Manner = .plain, redirectURI: String = "https://app.example/cb")
        -> [Exchange]
    {
        var recorder = Recorder(of: ScriptedProvider(manner))
        let browser = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Test/1")]
        let query =
            "/authorize?response_type=code&client_id=shop&scope=read&state=x8Kd02mvQpL3xJ7w&redirect_uri="
            + PercentEncoding.encode(redirectURI)
        let page = browser + [("Accept", "text/html")]
        recorder.send("GET", query, page)
        let script = browser + [("Accept", "*/*")]
        func enter(_ entered: JSONValue) {
            recorder.send(
                "POST",
                "/session",
                script,
                Body(text: JSONWriter.text(of: entered), mediaType: "application/json")
            )
        }
        enter(["username": "alice", "password": "wonderland"])
        if manner == .asksForCode { enter(["code": .string(code)]) }
        let answer = recorder.send("GET", query + "&continue=1", page)
        let spent = answer.location.flatMap { RecordedURL($0).queryItems.first("code") } ?? ""
        recorder.cookie = nil
        let form = [
            ("grant_type", "authorization_code"), ("code", spent), ("redirect_uri", redirectURI),
            ("client_id", "shop"),
        ]
        recorder.send(
            "POST",
            "/token",
            [("User-Agent", "shop/1.0")],
            Body(text: FormBody.encode(form), mediaType: FormBody.mediaType)
        )
        return recorder.exchanges
    }
}
