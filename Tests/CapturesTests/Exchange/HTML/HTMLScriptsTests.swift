import Captures
import Testing

struct HTMLScriptsTests {
    @Test(arguments: [
        (#"<script>app.say("All is well.", 0); say('Or not.')</script>"#, ["All is well.", "Or not."]),
        (#"<script>add({"a":"One text"}); if ("two words" == x) ["three words"]</script>"#, []),
        (
            #"<script src=a.js></script><p>say("No script.")</p><script type=module>b("A script.")</script>"#,
            ["A script."]
        ),
        (
            #"<script>set({"a":1}); function failed() { say("Not yet.") } say("Now it is.")</script>"#,
            ["Now it is."]
        ),
        (#"<script>$("b").fail(function () { say("Not yet.") }); if (f) say("Who knows.")</script>"#, []),
        (#"<script>throw new Error("Not seen."); console.log("Not seen."); x = t("A table.")</script>"#, []),
        (
            "<script>// isn't, say(\"a { comment\")\n/* say(\"b { comment\") */\nsay(\"No comment.\")</script>",
            ["No comment."]
        ),
        (#"<script type="text/template">say("A template.")</script>"#, []),
        (#"<script>say("Without an end"#, []),
        (#"<script>say("#, []),
        (#"<script>say("one")</script>"#, []),
    ])
    func givesTheTextsThatFunctionsAreCalledWith(page: String, texts: [String]) {
        #expect(HTMLScripts.saidTexts(in: Array(page.utf8)) == texts)
    }

    @Test(arguments: [
        (
            #"<script>window.grafanaBootData = {settings: {"loginError":"Not a \"member\""}}</script>"#,
            #"Not a "member""#
        ),
        (#"<script>window.grafanaBootData = {settings: {"loginError":""}}</script>"#, nil),
        (#"<script>window.grafanaBootData = {settings: {"loginError":"#, nil),
        (#"<script>window.grafanaBootData = {settings: {"loginError":"No end"#, nil),
        (#"<script>window.texts = {"loginError":"The sign-in failed."}</script>"#, nil),
        (
            """
            <script>window.renderSecurityPage('login_user', {"loginUrl": "/login"}, {"messages": [["error", "Sign in first."],
            [["Error"], "No such \\"user\\"."]]});</script>
            """, #"No such "user"."#
        ),
        (
            #"<script>window.renderSecurityPage('login_user', {}, {"messages": [[["Info"], "Welcome."]]});</script>"#,
            nil
        ), (#"<script>messages = [[["Error"], "It failed."]]</script>"#, nil),
    ])
    func givesWhatThePagesDataSaysOfASignIn(page: String, words: String?) {
        #expect(HTMLScripts.failedSignIn(in: Array(page.utf8)) == words)
    }
}
