import Testing

@testable import Captures

struct HTMLFormTests {
    /// HTML, section 4.10.18.6.
    @Test func buttonsMaySendAFormElsewhere() {
        let page =
            "<button formaction=/outside></button><form action=/a><button formaction=\"/b?c=1&amp;d=2\">B</button>"
            + "<input type=submit name=op value=x formaction='/c'><button formaction=''></button></form>"
            + "<form action=/d><button>D</button></form>"
        let forms = HTMLForm.all(in: page)
        #expect(forms.map(\.buttonActions) == [["/b?c=1&d=2", "/c"], []])
        #expect(forms.map(\.action) == ["/a", "/d"] && forms[0].fields.map(\.name) == ["op"])
    }

    /// HTML, section 4.10.18.3: wherever they stand, and whatever form they stand in.
    @Test func fieldsMayNameTheirForm() {
        let page =
            "<input form=b name=early><form id=a action=/a><input name=own><input form=b name=lent value=1></form>"
            + "<form id=b action=/b></form><form id=b action=/c></form><input form=a type=password name=secret>"
            + "<button form=b name=go value=yes formaction=/d>Go</button><input form=none name=lost><input name=stray>"
        let forms = HTMLForm.all(in: page)
        #expect(forms.map(\.action) == ["/a", "/b", "/c"])
        #expect(forms.map { $0.fields.map(\.name) } == [["own", "secret"], ["early", "lent", "go"], []])
        #expect(forms[1].fields.map(\.value) == ["", "1", "yes"] && forms[1].buttonActions == ["/d"])
    }

    @Test func formPostPageGivesItsParameters() {
        let page = """
            <html><!-- <form action="/no"> --><body onload="document.forms[0].submit()">
            <script>var x = '<form action="/neither"><input name="a">';</script>
            <FORM METHOD='POST' ACTION="https&#x3a;//app.example/cb?a=1&amp;b=2">
            <input type="hidden" name="code" value="a&#47;b&quot;"/><input TYPE=hidden NAME=state VALUE=xyz>
            <noscript><button name=go>Go</button></noscript></FORM>
            """
        let forms = HTMLForm.all(in: page)
        #expect(forms.count == 1)
        #expect(forms[0].action == "https://app.example/cb?a=1&b=2" && forms[0].method == "post")
        #expect(forms[0].fields.map(\.name) == ["code", "state", "go"])
        #expect(forms[0].fields.map(\.value) == ["a/b\"", "xyz", ""])
        #expect(forms[0].fields.map(\.type) == ["hidden", "hidden", "submit"])
    }

    @Test(arguments: [
        (
            #"<meta http-equiv="refresh" content="0; url=https://a.example/?x=1&amp;y=2">"#,
            "https://a.example/?x=1&y=2"
        ),
        (#"<META HTTP-EQUIV=Refresh CONTENT="5;URL='/next'">"#, "/next"),
        (#"<meta http-equiv="refresh" content="0; /next?a='b'">"#, "/next?a='b'"),
        (#"<meta http-equiv="refresh" content=" 1.5,/next">"#, "/next"),
        (#"<meta http-equiv="refresh" content='0 Url = "/next" or so'>"#, "/next"),
        (#"<meta http-equiv="refresh" content="0;urls">"#, "urls"),
    ])
    func refreshNamesItsTarget(page: String, target: String) {
        #expect(HTMLForm.refreshTarget(in: page) == target)
    }

    /// The page itself is loaded again, or nothing is.
    @Test(arguments: ["300", "0;", "0; url=", "0; url=''", "/next", "0/next", "now; url=/next", ""])
    func refreshOfThePageItselfLeadsNowhere(content: String) {
        let page = "<meta http-equiv=\"refresh\" content=\"\(content)\">"
        #expect(HTMLForm.refreshTarget(in: page) == nil)
    }

    @Test(arguments: [
        "", "<", "<form", "<form action=", "<form action=\"", "<input name", "<!--", "<script>", "</",
        "<a b=", "&#x110000;", "<form><input name='&#xd800;'>",
    ])
    func brokenPagesNeverTrap(page: String) {
        _ = HTMLForm.all(in: page)
        _ = HTMLForm.refreshTarget(in: page)
    }

    @Test func hostilePagesTakeLinearTime() {
        let repeated = ["<", "<form ", "<a b=\"", "<!--", "<script", "&#x", "</script"]
        for piece in repeated {
            let page = String(repeating: piece, count: 200_000 / piece.utf8.count)
            let time = ContinuousClock().measure { _ = HTMLForm.all(in: page) }
            // Quadratic would be minutes; the bound is only there to end such a test.
            #expect(time < .seconds(20), "\(piece)")
        }
    }

    @Test(arguments: [
        // What looks like a tag inside of values, scripts and comments is none.
        (
            #"<a title="<form action=no>" b='>'><FORM Action=/yes METHOD=Post><INPUT Name=a VALUE="1">"#,
            ["/yes a=1"]
        ),
        (#"<script>"<form action=no>"</SCRIPT ><form action="/yes">"#, ["/yes"]),
        (#"<!-- <form action=no> --><style><form></style><form action=/yes></form>"#, ["/yes"]),
        ("<!--><form action=/yes>--><!---><form action=/2>", ["/yes", "/2"]),
        ("<!-- a > b -- ><form action=no>--><!----><form action=/yes><!-- <form action=no>", ["/yes"]),
        (#"<p =">"><form action=/yes><input name=a value=b>"#, ["/yes a=b"]),
        ("<!-- a -> <form action=no> --><form action=/yes><input name='' value=b>", ["/yes"]),
        (#"<?x <form action=no><form action = "/yes"><input name = a value= &#X41;>"#, ["/yes a=A"]),
        // One that begins ends the one before; fields outside of any are dropped.
        (
            #"<input name=x><form action=/1><input name=a><form action=/2><input name=b></form><input name=c>"#,
            ["/1 a=", "/2 b="]
        ),
        (#"<formular action=no><form/action=/yes/>"#, ["/yes/"]),
        (
            #"<form action=/yes><textarea name=t></textarea><select name=s><button name=b value=&amp;>"#,
            ["/yes t= s= b=&"]
        ),
        (
            "<form action=/yes><textarea name=t value=no>\r\na &amp; <b>b\n</TEXTAREA><input name=a value=b></form>",
            ["/yes t=a & <b>b\n a=b"]
        ),
        (#"<form action=/yes><textarea name=t>x<form action=/no>"#, ["/yes t=x<form action=/no>"]),
        ("<form", [""]), ("<form ", [""]), ("<", []), ("form", []), ("<scr<form action=/yes>", []),
    ])
    func formsAreFound(page: String, forms: [String]) {
        let found = HTMLForm.all(in: page).map { form in
            ([form.action] + form.fields.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
        }
        #expect(found == forms)
    }

    @Test func refreshIsFound() {
        #expect(HTMLForm.refreshTarget(in: #"<META HTTP-EQUIV=Refresh content="0; URL='/next'">"#) == "/next")
        #expect(HTMLForm.refreshTarget(in: "<meta name=x content=y>") == nil)
    }

    @Test(arguments: [
        ("<input name=user>", true), ("<textarea name=why></textarea>", true),
        ("<form method=POST><button>Allow</button></form>", true),
        ("<form method=post></form><button>Close</button>", false),
        ("<form method=post><input type=submit></form>", true), ("<form><input type=submit></form>", false),
        ("<form><select name=language></select><input type=hidden name=a></form>", false),
        ("<input type=SEARCH name=q>", false), ("<script>'<input name=user>'</script>", false), ("", false),
    ])
    func tellsWhetherAPageAsksForSomething(html: String, isAsking: Bool) {
        #expect(HTMLForm.isAsking(in: Array(html.utf8)) == isAsking)
    }

    /// Who changes a password or gives it once more does not sign in.
    @Test(arguments: [
        ("<input name=u><input type=password name=p>", true),
        ("<input type=hidden name=u><input type=password name=p>", false),
        ("<input type=email name=u><input type=password name=p><input type=password name=q>", false),
    ]) func signInHasANameAndOnePassword(fields: String, isSignIn: Bool) {
        #expect(HTMLForm.all(in: "<form>\(fields)").first?.isSignIn == isSignIn)
    }

    @Test(arguments: [
        ("<base target=x><BASE href=/a/>", "/a/"), ("<base target=x>base", nil), ("<p>base", nil),
    ])
    func baseIsTheFirstThatHasAnAddress(page: String, base: String?) {
        #expect(HTMLForm.base(in: Array(page.utf8)) == base)
    }

    @Test(arguments: [
        (
            "<title>Sign\n in</title><h1>We <b>are</b> &amp; sorry<br>now</h1>",
            ["Sign in", "We are & sorry now"]
        ),
        ("<noscript><h1>Off</h1></noscript><h2>On</h2>", ["On"]), ("<h1></h1><H2 class=x>B", ["B"]),
        ("<h1>A<h2>B</h2>", ["A", "B"]), ("<h1", []), ("<script><h1>x</h1></script>", []),
    ])
    func readsTheHeadings(html: String, headings: [String]) {
        #expect(HTMLHeadings.all(in: Array(html.utf8)) == headings)
    }

    @Test func headingsOfAFloodAreFewAndShort() {
        let page = String(repeating: "<h1>" + String(repeating: "x", count: 5000), count: 200)
        #expect(HTMLHeadings.all(in: Array(page.utf8)).map(\.utf8.count) == Array(repeating: 400, count: 8))
    }
}
