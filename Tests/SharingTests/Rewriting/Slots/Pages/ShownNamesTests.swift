import Testing

@testable import Sharing

/// Who is shown in an element that is called by it.
struct ShownNamesTests {
    private static func told(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return MarkupSlots.slots(in: bytes[...]).filter { $0.name == "username" || $0.name == "display_name" }
            .map { "\($0.name)=\(String(decoding: bytes[$0.range], as: UTF8.self))" }
    }

    @Test(arguments: [
        ("<span class=\"user-name\">Kira Velsen</span>", "display_name=Kira Velsen"),
        ("<a class='nav header__userName' href=/me>\n  Kira Velsen\n</a>", "display_name=Kira Velsen"),
        ("<h2 id=fullName>Kira Velsen</h2>", "display_name=Kira Velsen"),
        ("<b id=\"username\">kira.velsen7</b>", "username=kira.velsen7"),
        ("<p class=username>\n <a href=/u>kira_v</a></p>", "username=kira_v"),
        ("<div data-testid=\"menu-username\">kira_v</div>", "username=kira_v"),
        ("<label id=\"kc-attempted-username\">kira</label>", "username=kira"),
    ])
    func elementIsCalledByWhomItShows(page: String, told: String) {
        #expect(Self.told(page) == [told])
    }

    @Test(arguments: [
        "<span class=\"user-name\">User Name</span>", "<span class=\"username\">Username</span>",
        "<a class=\"username\" href=\"/login\">Sign In</a>", "<a class=\"username\">My Account</a>",
        "<span class=\"username\"><a href=\"/login\">Sign In</a></span>", "<p id=username><a>",
        "<p id=username> <",
        "<span class=\"user-name\">Mein Konto</span>", "<span class=\"user-name\">Mon Compte</span>",
        "<h1 class=\"fullname\">Single Sign-On</h1>", "<span id=\"input-error-lastname\">Zu Kurz</span>",
        "<p class=\"username\">Please enter it here.</p>", "<label class=\"username\">Kira Velsen</label>",
        "<span class=\"username-hint\">Kira Velsen</span>", "<h1 class=\"product-name\">Kira Velsen</h1>",
        "<span class=\"username\"></span>", "<span class=\"username\">",
        "<span id=\"username\">optional</span>", "<label id=\"kc-attempted-username\">Username</label>",
        "<label id=\"username\">kira_v</label>",
        "<div class=\"username\"><b>Kira Velsen</b></div>",
    ])
    func otherElementsShowNobody(page: String) {
        #expect(Self.told(page).isEmpty)
    }
}
