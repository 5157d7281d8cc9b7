import Testing

@testable import Sharing

/// What a page of Nuxt 2 hands to the function that makes its state.
struct FunctionArgumentsTests {
    @Test(arguments: [
        (
            #"window.__NUXT__=(function(a,b,c){return {u:{family_name:b,theme:c}}}(null,"Quill","dark"))"#,
            ["family_name=Quill", "theme=dark"]
        ),
        (
            #"window.__NUXT__=function(a,b){a.z=1;return {"family_name":b}}({},"Qu\"ill");"#,
            [#"family_name=Qu\"ill"#]
        ),
        // Of several members that have one value the telling one.
        (
            #"window.__NUXT__=(function(a,b){return [{label:a,family_name:a},{theme:b}]}("Quill","dark"))"#,
            ["family_name=Quill", "theme=dark"]
        ),
        (#"window.__NUXT__=(function(a,b){return {family_name:b}}("Quill"))"#, []),
        (#"f=(function(a){return {family_name:a}}("Quill"))"#, []),
        (#"window.__NUXT__=(function(a"#, []),
        (#"window.__NUXT__=(function(a){return {family_name:a}}("#, []),
    ])
    func argumentsAreCalledByTheMembersThatGetThem(text: String, told: [String]) {
        #expect(ScriptSlots.told(text) == told)
    }

    @Test func manyArgumentsAreReadInLinearTime() {
        let names = (0..<20_000).map { "a\($0)" }.joined(separator: ",")
        let values = (0..<20_000).map { _ in "\"x\"" }.joined(separator: ",")
        let text = "window.__NUXT__=(function(\(names)){return {family_name:a1}}(\(values)))"
        #expect(ScriptSlots.told(text) == ["family_name=x"])
    }
}
