import Captures
import Flows
import Testing

struct StatedFailureTests {
    @Test(arguments: [
        "{\"success\":false,\"error\":\"invalid_state\"}", "{\"success\":0,\"status\":401}",
        "{\"status\":\"error\",\"detail\":\"no such code\"}", "{\"error\":{\"code\":7}}",
        "{\"errors\":[{\"message\":\"no\"}],\"data\":null}", "{\"error\":\"denied\",\"message\":\"no\"}",
        "{\"statusCode\":401,\"message\":\"Unauthorized\"}", "{\"ok\":\"false\"}",
        "{\"success\":false,\"token\":\"\"}",
    ])
    func answerThatSaysSo(body: String) {
        #expect(StatedFailure.isOne(Body(text: body, mediaType: "application/json")))
    }

    @Test(arguments: [
        "{\"success\":true,\"error\":\"\"}", "{\"user\":\"alice\",\"error\":\"avatar missing\"}", "{}", "[]",
        "{\"status\":\"ok\"}", "{\"errors\":[]}", "{\"status\":700}", "{\"success\":\"true\"}",
        "{\"error\":\"none\"}", "{\"success\":0,\"token\":\"abc\"}", "{\"error\":{\"code\":0}}",
        "{\"data\":{\"token\":\"x\"},\"errors\":[{\"message\":\"no avatar\"}]}",
        "{\"error\":null,\"token\":\"x\"}", "<html>error</html>",
    ])
    func otherAnswersAreNone(body: String) {
        #expect(!StatedFailure.isOne(Body(text: body, mediaType: "application/json")))
    }
}
