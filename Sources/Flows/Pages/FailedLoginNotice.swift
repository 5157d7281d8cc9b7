import Captures
import OAuth

/// A page of an app to which its callback sends the browser on, and which says that nobody was signed in.
///
/// So do apps whose failures have no page of their own: they redirect to their sign-in or home page, and say it there in the
/// box for errors, or in a heading; or a script shows it above the form to sign in with, which then may be the answer to the
/// callback itself. It has to speak of signing in, or be headed by what became of the account: what else is wrong with a page
/// somebody wanted to see is no affair of the login. The form to sign in with, at an address named after it, says so without
/// words.
package enum FailedLoginNotice {
    /// The page behind the callback's redirects, or the callback that brought a form to sign in with; nil where none was
    /// loaded, or it says nothing of the kind.
    package static func page(behind callback: Int, in index: CaptureIndex) -> Int? {
        index.derived.value { Notices(index) }.byCallback[callback]
    }

    /// Where the callback's redirects lead at its own host, as far as it was recorded; the callback itself where it has none.
    package static func landing(of callback: Int, in index: CaptureIndex) -> Int {
        let host = index.capture[callback].request.url.host
        return index.redirects(behind: callback, atMost: mostRedirects).prefix {
            index.capture[$0].request.url.host == host
        }.last ?? callback
    }

    private static let mostRedirects = 5

    /// What is said; nil on any other page.
    package static func words(in page: [UInt8]) -> String? {
        guard page.count < largest else { return nil }
        if let words = HTMLScripts.failedSignIn(in: page) { return words }
        let boxes = alerts(in: page)
        if let words = boxes.first(where: NumberedMessage.begins) { return words }
        // A question offers help.
        let headings = HTMLHeadings.all(in: page).prefix(3).filter { $0.utf8.last != 0x3f }
        if let words = (boxes + headings).first(where: isOne)
            ?? headings.prefix(2).first(where: ShutOut.isOne)
        {
            return words
        }
        // What went wrong may stand below a heading that only says that something did.
        if let heading = headings.first(where: isVague),
            let words = HTMLText.opening(of: page, limit: enough), isOne(words)
        {
            return heading
        }
        // Other pages have texts for what may happen yet.
        return asksToSignIn(page) ? HTMLScripts.saidTexts(in: page).first(where: isOne) : nil
    }

    /// The words of a box that warns of a failure, on a page that is known to be there for it; nil where there is none.
    ///
    /// What is missing, unknown or out of date may be anything that is warned of.
    package static func warning(in page: [UInt8]) -> String? {
        guard page.count < largest, let words = HTMLAlert.firstWarning(in: page) else { return nil }
        let lower = words.lowercased()
        return tellsOfFailure(words) && failures.contains(where: lower.containsBytes) ? words : nil
    }

    /// What the boxes for errors say, and those that warn; who has a way to sign out is signed in, and warned of something else.
    private static func alerts(in page: [UInt8]) -> [String] {
        var warning = HTMLAlert.firstWarning(in: page)
        if warning != nil, HTMLLinks.leadToSignOut(in: page) { warning = nil }
        return [HTMLAlert.first(in: page), warning].compactMap(\.self)
    }

    private static func asksToSignIn(_ page: [UInt8]) -> Bool {
        HTMLForm.all(in: page).contains(where: \.isSignIn)
    }

    /// Whether a heading says no more than that there was an error.
    private static func isVague(_ heading: String) -> Bool {
        let words = heading.lowercased().filter { $0.isLetter || $0 == " " }
        return ["something went wrong", "oops", "oops something went wrong", "an error occurred", "error"]
            .contains(words)
    }

    /// Whether a message beside a form to sign in with is about a failure.
    static func tellsOfFailure(_ words: String) -> Bool {
        let lower = words.lowercased()
        guard !otherMatters.contains(where: lower.containsBytes) else { return isOne(words) }
        return (failures + ["no user", "not found", "missing", "unknown", "expired"]).contains(
            where: lower.containsBytes
        )
    }

    /// Whether one of the sentences speaks of signing in and of its failure.
    static func isOne(_ words: String) -> Bool {
        sentences(of: words.lowercased()).contains { sentence in
            subjects.contains(where: sentence.containsBytes)
                && failures.contains(where: sentence.containsBytes)
                && (thisOne.contains(where: sentence.containsBytes)
                    || !others.contains(where: sentence.containsBytes))
        }
    }

    /// A dot or a colon inside of a name ends none.
    private static func sentences(of words: String) -> [String] {
        var sentences: [String] = [""]
        var rest = words[...]
        while let character = rest.popFirst() {
            let isEnd =
                ".!?;:".contains(character) && rest.first.map { $0.isWhitespace } ?? true
                || ":;!?".contains(character) && !(rest.first?.isNumber ?? false)
            if isEnd || character == "\u{2013}" || character == "\u{2014}" {
                sentences.append("")
            } else {
                sentences[sentences.count - 1].append(character)
            }
        }
        return sentences
    }

    private static let subjects = [
        "login", "log in", "log you in", "logging in", "logged in", "sign in", "sign-in", "signin",
        "sign you in", "signing in", "signed in", "your sign in", "authenticat", "oauth", "openid",
        "id token", "id_token", "anmeld", "connexion",
    ]
    private static let failures = [
        "fail", "error", "denied", "invalid", "unsuccessful", "cancel", "could not", "couldn't", "unable to",
        "cannot", "can't", "problem", "not authorized", "not allowed", "not successful", "not logged in",
        "not signed in", "wrong", "fehl", "erreur", "errore",
    ]
    /// What a message beside a form to sign in with may be about as well.
    private static let otherMatters = [
        "cookie", "success", "loading", "signed in", "logged in", "browser", "javascript",
    ]
    /// What somebody who is signed in is told of other logins than this one.
    private static let others = [
        "attempt", "logins", "last login", "last failed", "failed sign-ins", "two-factor", "trial",
        "recovery", "since", "letzte", "anmeldeversuche", "seit ihre", "derni\u{e8}re",
    ]
    /// Of an attempt that is the one that was just made.
    private static let thisOne = [
        "the login attempt failed", "the sign-in attempt failed",
    ]
    /// In bytes.
    private static let largest = 1 << 18
    /// In bytes of a page, from its beginning.
    private static let enough = 2 << 10

    private struct Notices: Sendable {
        let byCallback: [Int: Int]

        init(_ index: CaptureIndex) {
            let redeemed = ErrorHeading.redemptions(
                of: index.messages.values.compactMap { message in
                    if case .token(let request) = message { request } else { nil }
                }
            )
            byCallback = index.responses.reduce(into: [:]) { pages, response in
                guard let callback = response.callback else { return }
                pages[callback] = Self.page(behind: callback, of: response, redeemed, index)
            }
        }

        private static func page(
            behind callback: Int,
            of response: AuthorizationResponse,
            _ redeemed: [String: Timestamp],
            _ index: CaptureIndex
        ) -> Int? {
            let current = landing(of: callback, in: index)
            guard let answer = index.capture[current].response, answer.location == nil,
                let body = answer.body, body.isPage, let page = body.bytes,
                FailedLoginNotice.words(in: page) != nil
                    || current != callback && isSignIn(index.capture[current].request.url, page)
                        && isLast(current, behind: callback, index)
            else { return nil }
            guard current == callback else { return current }
            // The portal of LemonLDAP::NG has a button for the next try, or nothing.
            guard asksToSignIn(page) || HTMLAlert.first(in: page).map(NumberedMessage.begins) ?? false,
                !goesOn(callback, response, redeemed, index)
            else { return nil }
            return callback
        }

        /// Whether it is the app's page to sign in at: who is signed in is not asked for a password there.
        private static func isSignIn(_ url: RecordedURL, _ page: [UInt8]) -> Bool {
            guard page.count < largest, let name = url.path.split(separator: "/").last else { return false }
            let letters = name.prefix { $0 != "." }.lowercased().filter(\.isLetter)
            guard signInPages.contains(letters) else { return false }
            // With a message there need be no form: the way to sign in may be a button.
            if let alert = HTMLAlert.first(in: page), tellsOfFailure(alert) { return true }
            if warning(in: page) != nil { return true }
            guard asksToSignIn(page) else { return false }
            // A form that a script shows where it is wanted.
            return !String(decoding: page, as: UTF8.self).lowercased().containsBytes("display:none")
        }

        /// Whether nothing was signed in on the way there, and nothing of the app was to be had behind it.
        private static func isLast(_ landing: Int, behind callback: Int, _ index: CaptureIndex) -> Bool {
            let known = Set(index.capture[callback].request.cookies.map(\.name))
            let way = index.order[index.position[callback]...index.position[landing]]
            let origin = index.capture[landing].request.url.origin
            let isSignedIn = way.contains { exchange in
                index.capture[exchange].request.url.origin == origin
                    && index.capture[exchange].response?.setCookies.contains { cookie in
                        !cookie.value.isEmpty && !known.contains(cookie.name) && !isMessage(cookie.name)
                    } ?? false
            }
            guard !isSignedIn else { return false }
            return !index.order[(index.position[landing] + 1)...].prefix(mostLater).contains { exchange in
                let later = index.capture[exchange]
                guard later.request.url.origin == origin, let answer = later.response, answer.isServed,
                    index.messages[exchange] == nil, let body = answer.body
                else { return false }
                return body.isPage || body.essence == "application/json"
            }
        }

        /// What a page shows once (Grafana's `login_error`).
        private static func isMessage(_ cookie: String) -> Bool {
            ["error", "flash", "message"].contains(where: cookie.lowercased().containsBytes)
        }

        private static let mostLater = 200
        private static let signInPages: Set<String> = ["login", "signin", "logon", "signon"]

        /// Whether the page at a redirect URI may bring the code to somebody yet.
        private static func goesOn(
            _ callback: Int,
            _ response: AuthorizationResponse,
            _ redeemed: [String: Timestamp],
            _ index: CaptureIndex
        ) -> Bool {
            // What stands in the fragment the page's own script has to read yet.
            guard response.mode != .fragment else { return true }
            guard let code = response.code else { return false }
            if let time = redeemed[code] { return time >= index.capture[callback].endedAt }
            return HandedOnCode.isCarried(response, in: index) != false
        }
    }
}
