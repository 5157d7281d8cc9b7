import Captures
import Testing

@testable import Diagnosis

struct PageTextTests {
    private func words(_ text: String, _ type: String = "text/html") -> String {
        PageText.words(of: Body(text: text, mediaType: type))
    }

    @Test(arguments: [
        ("<h1>Client\n  not</h1><p>found.", "Client not found."),
        ("<script>var pkce = 1</script>Sorry<style>a{}</style>", "Sorry"),
        ("<SCRIPT src=x></SCRIPT >Sorry", "Sorry"), ("Missing: <b>client_id</b>", "Missing: client_id"),
        ("<!-- <head> markup, like CSS -->Sorry<!--\n<p>Help</p> -- > -->.", "Sorry ."),
        ("a<!-->b<!--->c<!---->d<!---- -->e", "a b c d e"), ("a<!-- b", "a"), ("a<!-", "a"),
        ("a<![if !IE]>b<![endif]>c", "a b c"),
        ("&#39;x&#39; &amp; y", "'x' & y"), ("<p", ""), ("<script>unfinished", ""), ("", ""), ("a<", "a"),
    ])
    func leavesTagsAndScriptsOut(page: String, text: String) { #expect(words(page) == text) }

    @Test func readsTheNumberedMessageInAScript() {
        let page = "<script>$Config={\"m\":\"AADSTS50011: The redirect URI\",\"n\":1}</script>Sign in"
        #expect(words(page) == "Sign in AADSTS50011: The redirect URI")
    }

    @Test func numberOfAMessageGoesFirst() {
        #expect(words("<p>Help</p><p role=alert trmsg=108></p>") == "PE108 PE_UNAUTHORIZEDURL Help")
    }

    @Test func takesTextAsItIs() { #expect(words("a < b\n c", "text/plain") == "a < b c") }

    @Test func readsAPageByItsFirstCharacter() { #expect(words(" <p>x</p>", "text/plain") == "x") }

    @Test func beginningIsThatOfAllWords() {
        let pages = [
            "<h1>No</h1>", String(repeating: "<p>Client &#x000000041;</p>\n", count: 400),
            String(repeating: "\u{1f600}<br>", count: 900),
            String(repeating: " \n<i></i>", count: 5000) + "late",
            "<script>'AADSTS1: x'</script>short",
        ]
        for page in pages {
            let body = Body(text: page, mediaType: "text/html")
            #expect(PageText.start(of: body) == Excerpt.start(of: PageText.words(of: body)))
        }
    }

    @Test func looksAtABoundedPartOnly() {
        let body = Body(text: "abcdef", mediaType: "text/plain")
        #expect(PageText.words(of: body, limit: 3) == "abc")
        #expect(PageText.words(of: Body(content: .missing)).isEmpty)
    }
}
