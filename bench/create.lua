-- A create of about 180 bytes, another reference each time. What is said to it begins the reference.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer mishap-token"

local number = 0
local name = "bench"

init = function(said)
  name = said[1] or name
end

request = function()
  number = number + 1
  local body = '{"reference":"' .. name .. '-' .. number .. '","product":"p-1","guests":2,"date":"2030-12-24",' ..
    '"name":"A Name Of Some Length","notes":"a few words that make it as long as a booking is"}'
  return wrk.format("POST", nil, nil, body)
end
