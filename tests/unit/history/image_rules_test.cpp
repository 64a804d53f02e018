// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/sent_messages.hpp"

#include <utility>

namespace sk = sessionkit;
using sessionkit_test::content;
using sessionkit_test::Json;
using sessionkit_test::png;

TEST_CASE("images are repaired: wrapped or unpadded base64, data addresses, media types") {
  auto const one = [](sk::Image image) {
    return content(sk::user(std::move(image)))[0].value("source", Json());
  };
  Json const whole{{"type", "base64"}, {"media_type", "image/png"}, {"data", png}};
  CHECK(one({"IMAGE/PNG", sk::Base64{png}}) == whole);
  CHECK(one({"image/png; charset=binary", sk::Base64{"iVBORw0KGgoA\r\nAAANSUhEUg"}}) == whole);
  CHECK(one({"", sk::Base64{"data:image/PNG;base64," + png}}) == whole);
  CHECK(one({"image/png", sk::Url{"data:image/png;base64," + png}}) == whole);
  CHECK(one({"image/jpeg", sk::Base64{png}}) == whole); // the bytes say what it is
  CHECK(one({"image/png", sk::Base64{"iVBOR!"}}) == Json());
  CHECK(one({"", sk::Url{"https://a/b.png"}})["url"] == "https://a/b.png");
  CHECK(one({"", sk::Url{"http://a/b.png"}}) == Json()); // Anthropic fetches by https alone
  CHECK(content(sk::user(sk::Image{"", sk::Url{"http://a/b.png"}}),
                sk::Provider::openai_chat)[0]["image_url"]["url"]
        == "http://a/b.png");
}
