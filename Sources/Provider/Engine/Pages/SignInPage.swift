import Captures

/// The provider's pages: plain, everything from outside escaped; the only scripts are those that go on.
enum SignInPage {
    /// The form that asks for name and password; the request waits under `transaction`.
    ///
    /// `user`: the name that stands there already (`login_hint`: OpenID Connect Core, section 3.1.2.1); empty for none.
    static func html(
        client: String,
        transaction: String,
        action: String,
        user: String = "",
        message: String? = nil
    ) -> String {
        let name = user.isEmpty ? "" : " value=\"\(HTMLText.escaped(user))\""
        return page(
            "Sign in",
            """
            <h1>Sign in</h1>
            <p>to go on to <b>\(HTMLText.escaped(client))</b></p>
            \(message.map { "<p role=\"alert\">\(HTMLText.escaped($0))</p>" } ?? "")
            <form method="post" action="\(HTMLText.escaped(action))">
            <input type="hidden" name="transaction" value="\(HTMLText.escaped(transaction))">
            <p><label>Name <input name="username" autocomplete="username"\(name) autofocus></label></p>
            <p><label>Password <input name="password" type="password" autocomplete="current-password"></label></p>
            <p><button name="action" value="sign-in">Sign in</button> <button name="action" value="cancel">Cancel</button></p>
            </form>
            """
        )
    }

    /// What the user sees when the client cannot be told (RFC 6749, section 4.1.2.1).
    static func error(_ text: String) -> String {
        page("Error", "<h1>This login cannot go on</h1><p>\(HTMLText.escaped(text))</p>")
    }

    /// The page at which the user of a device says that it is his (RFC 8628, section 3.3).
    static func device(code: String, action: String, message: String? = nil) -> String {
        page(
            "Connect a device",
            """
            <h1>Connect a device</h1>
            \(message.map { "<p role=\"alert\">\(HTMLText.escaped($0))</p>" } ?? "")
            <form method="post" action="\(HTMLText.escaped(action))">
            <p><label>Code on the device <input name="user_code" value="\(HTMLText.escaped(code))" autofocus></label></p>
            <p><label>Name <input name="username" autocomplete="username"></label></p>
            <p><label>Password <input name="password" type="password" autocomplete="current-password"></label></p>
            <p><button name="action" value="allow">Connect</button> <button name="action" value="deny">Refuse</button></p>
            </form>
            """
        )
    }

    /// What the user sees when a device may go on, or may not.
    static func deviceDone(isAllowed: Bool) -> String {
        page("Device", "<h1>\(isAllowed ? "The device is connected" : "The device was refused")</h1>")
    }

    /// What the user sees after a logout.
    ///
    /// `frames`: what the browser loads meanwhile (OpenID Connect Front-Channel Logout, section 3).
    /// `target`: where it goes on when it has, or after three seconds; nil: the page stays.
    static func signedOut(loading frames: [String] = [], to target: String? = nil) -> String {
        let loaded = frames.map { "<iframe src=\"\(HTMLText.escaped($0))\" hidden></iframe>" }.joined()
        let way = target.map {
            """
            <p><a id="on" href="\(HTMLText.escaped($0))">Go on</a></p>
            <script>
            const go = () => location.replace(document.getElementById("on").href);
            addEventListener("load", go);
            setTimeout(go, 3000);
            </script>
            """
        }
        return page("Signed out", "<h1>Signed out</h1>" + loaded + (way ?? ""))
    }

    /// The form that carries a response to the client (OAuth 2.0 Form Post Response Mode, section 2).
    static func formPost(to redirectURI: String, _ parameters: [(String, String)]) -> String {
        let fields = parameters.map {
            "<input type=\"hidden\" name=\"\(HTMLText.escaped($0.0))\" value=\"\(HTMLText.escaped($0.1))\">"
        }
        return page(
            "Going back",
            "<form method=\"post\" action=\"\(HTMLText.escaped(redirectURI))\">\(fields.joined())<button>Go on</button></form>"
                + "<script>document.forms[0].submit()</script>"
        )
    }

    private static func page(_ title: String, _ body: String) -> String {
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>\(title)</title></head><body>\(body)</body></html>"
    }
}
