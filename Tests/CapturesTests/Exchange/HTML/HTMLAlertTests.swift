import Testing

@testable import Captures

struct HTMLAlertTests {
    @Test(arguments: [
        (
            #"<nav>Profile</nav><div role="alert">Login <b>failed</b> &amp; ended</div><p>Help</p>"#,
            "Login failed & ended"
        ),
        // The box of a page with menus around it, and boxes in it.
        (
            """
            <div class="overlay network-error">No network</div><div class="ui error icon message"><i></i>
            <div class="content"><div class="header">Bad request</div><p>It is invalid</p></div></div><footer>About</footer>
            """,
            "Bad request It is invalid"
        ),
        ("<SPAN CLASS='ulp-input-error-message'>Wrong password", "Wrong password"),
        ("<p class='alert alert-success'>Saved</p><p class=alert>Wrong</p>", "Wrong"),
        ("<ul class=errorlist><li>One<li>Two</ul><p>Rest", "One Two"),
        // Semantic UI's box, and the one that a script is to show.
        (
            "<div class=\"ui visible negative message\">Login failed! <b>Try again</b></div>",
            "Login failed! Try again"
        ),
        ("<div class='ui negative message'>Login failed!</div>", nil),
        ("<div class='ui visible message'>Hello</div>", nil),
        ("<div class='visible negative message'>Hello</div>", nil),
        // Gitea's and Forgejo's.
        (
            "<div class='ui negative message flash-message flash-error'><p>Username or password is incorrect.</p></div>",
            "Username or password is incorrect."
        ),
        ("<div class='ui positive message flash-message flash-success'>Saved</div>", nil),
        // What waits for a script to be shown, or has nothing to show.
        ("<div role=alert hidden>Wrong</div><p class=error>True", "True"),
        ("<div role=alert style='display: none'>Wrong</div><p class=error></p>", nil),
        ("<div role=alert aria-hidden=true>Wrong</div><p class=hide-error-message>Wrong</p>", nil),
        ("<div role=alert style='visibility: hidden'>Wrong</div>", nil),
        ("<div class='alert-danger d-none'>Wrong</div>", nil), ("<p>Nothing of that kind</p>", nil),
        ("<noscript><div role=alert>Scripts!</div></noscript><p class=error>True", "True"),
        ("<template><div role=alert>Wrong</div></template>", nil),
        ("<script>'<div role=alert>x</div>'</script>", nil), ("<input class=error>", nil), ("", nil),
        // A number that a script finds the words for.
        (#"<div role="alert"><span trmsg="5"></span></div>"#, "PE5 PE_BADCREDENTIALS"),
        (#"<div role="alert" trmsg="999"> now</div>"#, "PE999 now"),
        (#"<div role="alert"><span trmsg="five"></span><span trmsg="-3"></span></div>"#, nil),
        (#"<div role="status"><span trmsg="9"></span></div>"#, nil),
        (#"<div role="alert"><span trmsg="47"></span></div>"#, nil),
        // The button that takes the box away.
        (
            "<div class='alert alert-danger'><button class=close>&times;</button> Login failed</div>",
            "Login failed"
        ), ("<div role=alert>Wrong \u{2715}</div>", "Wrong"), ("<div role=alert>&times;</div>", nil),
        // What a script shows when it is needed.
        ("<div role=alert *ngIf='failed'>Login failed</div><p class=error v-show=failed>Wrong</p>", nil),
        ("<div class='alert-danger'>Login failed: {{ reason }}</div><div role=alert>Wrong</div>", "Wrong"),
        ("<div role=alert x-show='open'>Wrong</div>", "Wrong"),
        // What stands in comments is nobody's to read.
        (
            "<!-- <p class=error>Wrong</p> --><div role=alert>True <!-- <b>Wrong</b> --> it is</div>",
            "True it is"
        ),
        ("<div role=alert", nil), ("<div role=alert>", nil), ("<div role=alert><div></div></div></div>", nil),
    ])
    func isTheFirstBoxWithWords(page: String, words: String?) {
        #expect(HTMLAlert.first(in: Array(page.utf8)) == words)
    }

    @Test func boxThatNeverEndsIsCutShort() throws {
        let page = "<div role=alert>" + String(repeating: "<div>word ", count: 20_000)
        let words = try #require(HTMLAlert.first(in: Array(page.utf8)))
        #expect((300..<400).contains(words.utf8.count))
    }
}
