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
        (#"<script>say("Without an end"#, []),
        (#"<script>say("#, []),
        (#"<script>$("one")"#, []),
    ])
    func givesTheTextsThatFunctionsAreCalledWith(page: String, texts: [String]) {
        #expect(HTMLScripts.saidTexts(in: Array(page.utf8)) == texts)
    }
}
